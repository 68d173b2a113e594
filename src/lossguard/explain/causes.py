"""Modules of rules under short names, and groups of them that tables share. Data only."""

from __future__ import annotations

from typing import Final

RANGE: Final = "values.class_index_out_of_range"
SENTINEL: Final = "values.undeclared_ignore_index"
IGNORED: Final = "values.every_target_ignored"
INDEX: Final = "values.index_out_of_range"
NAN_INPUT: Final = "values.non_finite_input"
NAN_TARGET: Final = "values.non_finite_target"
UNIT_TARGET: Final = "values.target_outside_unit_interval"
UNIT_INPUT: Final = "values.input_outside_unit_interval"
CTC_LABEL: Final = "values.ctc_label_out_of_range"
FRACTIONS: Final = "values.fractional_class_target"
FLOAT: Final = "dtypes.float_class_target"
NARROW: Final = "dtypes.narrow_integer_class_target"
REAL: Final = "dtypes.integer_target_for_real_loss"
DTYPES: Final = "dtypes.dtype_disagreement"
WHOLE_INPUT: Final = "dtypes.integer_input"
HALF: Final = "dtypes.half_precision_unsupported"
INDEX_DTYPE: Final = "dtypes.wrong_index_dtype"
COLUMN: Final = "shapes.column_target"
ONE_HOT: Final = "shapes.one_hot_target"
BATCH: Final = "shapes.batch_size_mismatch"
AXIS: Final = "shapes.class_axis_misplaced"
SHAPE: Final = "shapes.target_shape_mismatch"
WEIGHT: Final = "shapes.weight_length_mismatch"
CTC_LENGTHS: Final = "shapes.ctc_lengths_mismatch"
DEVICE: Final = "calls.device_mismatch"
NO_TENSOR: Final = "calls.target_not_a_tensor"
INPUT_NO_TENSOR: Final = "calls.input_not_a_tensor"
ARGUMENT: Final = "calls.unsound_loss_argument"
BROADCAST: Final = "shapes.silent_broadcast"
LOGITS: Final = "meaning.probabilities_as_logits"
PROBABILITIES: Final = "meaning.probabilities_as_log_probabilities"
SCORES: Final = "meaning.logits_as_log_probabilities"
LOSS_CLASS: Final = "calls.loss_class_called_as_function"
SOFT: Final = "meaning.soft_target_not_a_distribution"

Causes = tuple[tuple[str, int], ...]
#: What a loss that is not finite has been given, when nothing more is said.
NOT_FINITE: Final[Causes] = ((NAN_INPUT, 50), (NAN_TARGET, 40), (HALF, 25))
CTC_NOT_FINITE: Final[Causes] = ((CTC_LENGTHS, 60), (CTC_LABEL, 50), (NAN_INPUT, 45))
MASKS: Final[Causes] = ((SHAPE, 60), (ONE_HOT, 40), (COLUMN, 35))
