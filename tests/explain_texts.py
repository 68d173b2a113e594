"""Error lines as torch and its neighbours print them, and what each is about."""

from __future__ import annotations

#: A line, and the code of the fault that comes first.
OURS: tuple[tuple[str, str], ...] = (
    ("RuntimeError: expected target dtype to be Long or Byte, but got Double", "LG101"),
    ("RuntimeError: expected scalar type Long but found Half", "LG101"),
    ("NotImplementedError: \"nll_loss_forward_no_reduce_cuda_kernel_index\" not implemented for 'Double'", "LG101"),
    ("Expected object of scalar type Long but got scalar type Double for argument #2 'target'", "LG101"),
    (
        "Expected object of type torch.cuda.LongTensor but found type torch.cuda.FloatTensor for argument #2 'target'",
        "LG101",
    ),
    ("RuntimeError: expected Long tensor (got Float tensor)", "LG101"),
    ("RuntimeError: expected scalar type Long but found Short", "LG102"),
    ("\"nll_loss_forward_reduce_cuda_kernel_1d_index\" not implemented for 'Int'", "LG102"),
    ("RuntimeError: expected scalar type Long but found Bool", "LG103"),
    ("RuntimeError: expected scalar type Long but found Byte", "LG109"),
    ("RuntimeError: Found dtype Long but expected Half", "LG104"),
    ("result type Float can't be cast to the desired output type Long", "LG104"),
    (
        "Expected object of scalar type Float but got scalar type Long for argument #2 'target'",
        "LG104",
    ),
    ("kl_div: Integral inputs not supported.", "LG104"),
    ("RuntimeError: expected backend CUDA and dtype Float but got backend CUDA and dtype Long", "LG104"),
    ("RuntimeError: Found dtype Double but expected Float", "LG105"),
    ("RuntimeError: expected scalar type Float but found Double", "LG105"),
    ("\"host_softmax\" not implemented for 'Int'", "LG106"),
    ("\"nll_loss_out_frame\" not implemented for 'Long'", "LG106"),
    ("\"mse_cpu\" not implemented for 'Long'", "LG106"),
    ("RuntimeError: smooth_l1_loss_forward is not implemented for type torch.LongTensor", "LG106"),
    ("Expected tensor for argument #1 'indices' to have scalar type Long; but got torch.DoubleTensor instead", "LG107"),
    ("Expected tensor for argument #1 'indices' to have scalar type Long; but got CUDAIntTensor instead", "LG107"),
    ("Expected tensor for argument #1 'indices' to have scalar type Long; but got CPUFloatType instead", "LG107"),
    ("scatter(): Expected dtype int64 for index", "LG107"),
    ("gather(): Expected dtype int32/int64 for index", "LG107"),
    ("IndexError: tensors used as indices must be long, int, byte or bool tensors", "LG107"),
    ("one_hot is only applicable to index tensor.", "LG107"),
    ("\"nll_loss_forward_reduce_cuda_kernel_2d\" not implemented for 'BFloat16'", "LG108"),
    ("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.", "LG108"),
    ("\"log_softmax_lastdim_kernel_impl\" not implemented for 'ComplexFloat'", "LG110"),
    ("IndexError: Target 12 is out of bounds.", "LG201"),
    ("IndexError: Target -3 is out of bounds.", "LG201"),
    (
        "Assertion `cur_target >= 0 && cur_target < n_classes' failed.  at ../THNN/generic/ClassNLLCriterion.c:94",
        "LG201",
    ),
    ("argument #2 'target' is out of range", "LG201"),
    ("RuntimeError: Class values must be non-negative.", "LG201"),
    ("Target values should be in [0, 19], but values in range [0, 20] were found.", "LG201"),
    ("RuntimeError: CUDA error: device-side assert triggered", "LG201"),
    ("IndexError: Target 255 is out of bounds.", "LG202"),
    ("IndexError: Target -100 is out of bounds.", "LG202"),
    ("IntCastingNaNError: Cannot convert non-finite values (NA or inf) to integer", "LG203"),
    ("RuntimeError: all elements of target should be between 0 and 1", "LG205"),
    ("RuntimeError: all elements of input should be between 0 and 1", "LG206"),
    ("Assertion `x >= 0. && x <= 1.' failed. input value should be between 0~1, but got 1.500000", "LG206"),
    ("IndexError: index out of range in self", "LG210"),
    ("index out of range: Tried to access index 30522 out of table with 30521 rows. at TH.cpp:418", "LG210"),
    ("INDICES element is out of DATA bounds, id=4 axis_dim=4", "LG210"),
    ("RuntimeError: index 4 is out of bounds for dimension 1 with size 4", "LG210"),
    ("RuntimeError: Invalid index in gather at TH.cpp:657", "LG210"),
    ("Class values must be smaller than num_classes.", "LG210"),
    ("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "LG210"),
    ("free(): invalid next size (fast)", "LG211"),
    ("IndexError: Target -9223372036854775808 is out of bounds.", "LG213"),
    ("var has negative entry/entries", "LG214"),
    ("0D or 1D target tensor expected, multi-target not supported", "LG401"),
    ("only batches of spatial targets supported (3D tensors) but got targets of size: : [8, 1, 64, 64]", "LG401"),
    ("Expected floating point type for target with class probabilities, got Long", "LG402"),
    ("ValueError: Expected input batch_size (64) to match target batch_size (32).", "LG403"),
    ("Expected target size [8, 10], got [8, 32]", "LG404"),
    ("Dimension out of range (expected to be in range of [-1, 0], but got 1)", "LG404"),
    ("size mismatch (got input: [2, 6, 7, 5] , target: [2, 6, 7]", "LG404"),
    ("size mismatch (got input: 2x6x7x5, target: 2x6x7)", "LG404"),
    (
        "input and target batch or spatial sizes don't match: target [1 x 75 x 94], input [1 x 8 x 19 x 24] at T.cu:24",
        "LG405",
    ),
    (
        "bad argument #1 to 'v' (only batches of spatial targets supported (3D tensors) at THCUNN/Spatial.cu:96)",
        "LG405",
    ),
    ("only batches of spatial targets supported (3D tensors) but got targets of size: : [16]", "LG405"),
    ("Target size (torch.Size([4, 3])) must be the same as input size (torch.Size([4, 5]))", "LG405"),
    ("The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 0", "LG405"),
    ("margin_ranking_loss : All input tensors should have same dimension but got sizes", "LG405"),
    (
        """UserWarning: Using a target size (torch.Size([4])) that is different to the input size (torch.Size([4, 1])).
        This will likely lead to incorrect results due to broadcasting.""",
        "LG406",
    ),
    (
        "weight tensor should be defined either for all or no classes",
        "LG407",
    ),
    ("input and weights have different number of elements: input[64 x 1] has 64 elements", "LG407"),
    ("Expected input_lengths to have value at most 10, but got value 11", "LG408"),
    ("target_lengths must be of size batch_size", "LG408"),
    (
        "Expected object of device type cuda but got device type cpu for argument #2 'target'",
        "LG501",
    ),
    (
        "Expected object of device type cuda but got device type cpu for argument #1 'self' in call to _th_gather",
        "LG501",
    ),
    ("Expected object of backend CUDA but got backend CPU for argument #3 'weight'", "LG501"),
    ("RuntimeError: expected device cuda:0 and dtype Float but got device cpu and dtype Float", "LG501"),
    (
        """Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
        (when checking argument for argument target in method wrapper_CUDA_nll_loss_forward)""",
        "LG501",
    ),
    ("TypeError: cross_entropy_loss(): argument 'target' (position 2) must be Tensor, not list", "LG502"),
    ("TypeError: cross_entropy_loss(): argument 'input' (position 1) must be Tensor, not tuple", "LG503"),
    ("AttributeError: 'InceptionOutputs' object has no attribute 'log_softmax'", "LG503"),
    (
        "loss = nn.CrossEntropyLoss(out, y)\nBoolean value of Tensor with more than one value is ambiguous",
        "LG504",
    ),
    ("loss.backward()\nRuntimeError: expected FloatTensor but found LongTensor", "LG104"),
    (
        """Exception in device=TPU:1: torch_xla/csrc/aten_xla_type.cpp:163 : Check failed: at::canCast( resultType, out)
        at::native::binary_cross_entropy_with_logits(at::Tensor const&, at::Tensor const&, long)""",
        "LG104",
    ),
    ("loss.backward()\nRuntimeError: expected FloatTensor but found DoubleTensor", "LG105"),
    ("loss = F.cross_entropy(out, y, weight)\nRuntimeError: expected scalar type Float but found Long", "LG105"),
    (
        """TypeError: FloatClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int,
        torch.FloatTensor, torch.LongTensor, torch.FloatTensor, bool, torch.DoubleTensor, torch.FloatTensor), but""",
        "LG105",
    ),
    ("loss = F.mse_loss(a, b)\nFunction square_i64 was not found in the library", "LG106"),
    (
        """Expected scalar_type == ScalarType::Float || inputTensor.scalar_type() == ScalarType::Int ||
        scalar_type == ScalarType::Bool to be true, but got false.""",
        "LG108",
    ),
    ("AssertionError: Target classes exceed model classes", "LG201"),
    ("Label class 7 exceeds nc=3 in custom.yaml. Possible class labels are 0-2", "LG201"),
    ("[enforce fail at embedding_lookup_idx.cc:231] 0 <= idx. Index 0 is out of bounds: -1, range 0 to 10", "LG210"),
    ("torch.AcceleratorError: index 366 is out of bounds: 0, range 0 to 16", "LG210"),
    ("loss = torch_ctc(out, labels, lengths, others)\ndouble free or corruption (!prev)", "LG211"),
    (
        """Check failed: status.status() (Invalid argument: Size of broadcast_dimensions has to match operand's rank;
        torch_xla::ir::ops::NllLoss::NllLoss(torch_xla::ir::Value const&)""",
        "LG402",
    ),
    ("All input tensors should have same dimension but got sizes: input1: torch.Size([9, 1])", "LG405"),
    (
        """Exception in device=TPU:0: torch_xla/csrc/aten_xla_bridge.cpp:62 : Check failed: xtensor
        at::native::binary_cross_entropy_with_logits(at::Tensor const&, at::Tensor const&, long)""",
        "LG501",
    ),
    ("RuntimeError: Input tensor is not an XLA tensor: CPUFloatType", "LG501"),
    ("only batches of spatial targets supported (3D tensors) but got targets of size: : [2, 99, 99, 3]", "LG405"),
    (
        """RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of size: : [2, 9, 9, 5]
        and after a change: one of the variables has been modified by an inplace operation""",
        "LG402",
    ),
    (
        """TypeError: CudaClassNLLCriterion_updateOutput received an invalid combination of arguments - got (int,
        torch.cuda.FloatTensor, torch.cuda.LongTensor, torch.cuda.FloatTensor, bool, torch.FloatTensor, torch.cuda.""",
        "LG501",
    ),
    ("label_smoothing must be between 0.0 and 1.0. Got: 1.5", "LG505"),
    ("avg is not a valid value for reduction", "LG505"),
    ("Predictions and targets are expected to have the same shape, but got torch.Size([8, 2])", "LG405"),
    (
        """loss.py:432: UserWarning: Using a target size (torch.Size([8, 18])) that is different to the input size
        (torch.Size([1, 18])). This will likely lead to incorrect results due to broadcasting.""",
        "LG406",
    ),
    (
        """UserWarning: Using a target size (torch.Size([batch])) that is different to the input size
        (torch.Size([batch, 1])). This will likely lead to incorrect results due to broadcasting.""",
        "LG406",
    ),
    ("RuntimeError: Expected object of scalar type Long but got scalar type Int for argume", "LG102"),
    ("0D or 1D target tensor expected, multi-target not supp", "LG401"),
    ("ValueError: Target size (torch.Size([4, 2])) must be the same as input size (torch.Size([8, 2])", "LG405"),
    (
        """    return torch._C._nn.binary_cross_entropy(input, target, weight, reduction_enum)
        RuntimeError: "binary_cross_entropy" not implemented for 'Long'""",
        "LG106",
    ),
    (
        """  File "/env/lib/site-packages/torch/nn/functional.py", line 2830, in binary_cross_entropy_with_logits
    return torch.binary_cross_entropy_with_logits(input, target)
RuntimeError: _th_exp_out not supported on CUDAType for Long""",
        "LG104",
    ),
    ("loss = F.mse_loss(pred, y)\n'mps.divide' op requires the same element type for all operands", "LG105"),
    (
        """    left = F.relu(0.9 - classes)
    loss = labels * left
RuntimeError: The size of tensor a (16) must match the size of tensor b (10) at non-singleton dimension 1""",
        "LG405",
    ),
    # Checks that no table knows, by the form of their words
    ("AssertionError: Target and prediction shapes differ: (4, 1, 5) vs (4, 5)", "LG405"),
    ("ValueError: outputs and masks must have the same shape", "LG405"),
    ("    assert pred.size() == target.size() and target.numel() > 0\nAssertionError", "LG405"),
    ("AssertionError: label value 19 should be smaller than num_classes 19", "LG201"),
    ('assert targets.max() < classes, "too large"\nAssertionError: too large', "LG201"),
    ("TypeError: labels should be integers (LongTensor), got FloatTensor", "LG101"),
    ("ValueError: prediction and target must be on the same device", "LG501"),
    ("ValueError: batch size of input and target do not match", "LG403"),
    ("ValueError: class weights must have length num_classes", "LG407"),
)

#: Lines that are about something else.
UNRELATED: tuple[str, ...] = (
    """ValueError: Expected parameter logits of distribution Categorical(logits: torch.Size([64, 20])) to satisfy the
    constraint IndependentConstraint(Real(), 1), but found invalid values: tensor([[nan, nan]])""",
    "ValueError: Unknown label type: 'continuous'",
    "ValueError: y contains previously unseen labels: 'dog'",
    "ValueError: `logits` and `labels` must have the same shape, received ((None, 1) vs (None,)).",
    "xgboost.core.XGBoostError: SoftmaxMultiClassObj: label must be in [0, num_class).",
    """  File "/env/lib/python3.8/site-packages/sklearn/metrics/classification.py", line 81, in _check_targets
    raise ValueError("labels and predictions have different lengths")
ValueError: labels and predictions have different lengths""",
    """  File "/env/lib/python3.8/site-packages/torch/nn/functional.py", line 81, in cross_entropy
    return torch._C._nn.cross_entropy_loss(input, target)
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB.""",
    """RuntimeError: Check failed: xtensor
Input tensor is not an XLA tensor: torch.FloatTensor
    x = F.conv2d(x, self.weight, self.bias)""",
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)",
    "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half",
    "RuntimeError: Expected object of scalar type Float but got scalar type Double for argument #2 'mat2'",
    "Expected object of scalar type Float but got Double for argument #2 'weight' in call to _thnn_conv2d_forward",
    "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
    "RuntimeError: Expected object of backend CUDA but got backend CPU for argument #2 'weight'",
    "Expected object of device type cuda but got device type cpu for argument #1 'self' in call to _thnn_conv2d",
    "Expected object of scalar type Float but got scalar type Double for argument #2 'weight'",
    """  File "/env/lib/site-packages/torch/nn/modules/conv.py", line 320, in forward
    self.padding, self.dilation, self.groups)
    Expected object of backend CUDA but got backend CPU for argument #3 'weight\'""",
    "RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED",
    "RuntimeError: CUDA error: no kernel image is available for execution on the device",
    "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0",
    "RuntimeError: \"addmm_impl_cpu_\" not implemented for 'Half'",
    "RuntimeError: \"clamp_min_cpu\" not implemented for 'Half'",
    "RuntimeError: _th_bmm is not implemented for type torch.HalfTensor",
    "RuntimeError: Expected object of type torch.FloatTensor but found type torch.LongTensor for argument #2 'other'",
    "    return F.linear(input, self.weight, self.bias)\nRuntimeError: expected scalar type Long but found Float",
    """    loss = F.smooth_l1_loss(boxes, targets) / (count + 1e-4)
    Expected object of type torch.cuda.FloatTensor but found type torch.cuda.LongTensor for argument #2 'other'""",
    "    gi.clamp_(0, gain[2] - 1)\nRuntimeError: result type Float can't be cast to the desired output type long int",
    """Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
    (when checking argument for argument mat1 in method wrapper_CUDA_addmm)""",
    "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
    "IndexError: list index out of range",
    "ModuleNotFoundError: No module named 'apex'",
    "RuntimeError: Error(s) in loading state_dict for ResNet",
    "The operator 'aten::_ctc_loss' is not currently implemented for the MPS device.",
    """  File "/env/lib/python3.10/site-packages/torch/nn/modules/linear.py", line 116, in forward
    return F.linear(input, self.weight, self.bias)
    RuntimeError: Placeholder storage has not been allocated on MPS device!""",
    "InvalidArgumentError: Received a label value of 32 which is outside the valid range of [0, 11).",
    "tensorflow/core/util/ctc/ctc_loss_calculator.cc:144] No valid path found.",
    "ValueError: y_true and y_pred contain different number of classes 6, 7.",
    "ValueError: operands could not be broadcast together with shapes (16,256) (16,64)",
    "IndexError: too many indices for tensor of dimension 1",
    "Error: ../paddle/phi/kernels/gpu/bce_loss_kernel.cu:41 Assertion `(x_mt >= zero) && (x_mt <= one)` failed.",
    "    all_label_ids = torch.tensor(label_ids, dtype=torch.long)\nValueError: too many dimensions 'str'",
    "    loss = F.cross_entropy(y_hat, y)(y_hat, y)\nTypeError: 'Tensor' object is not callable",
    "NLLLoss2d.cu:107: nll_loss2d_forward_kernel: block: [1,0,0], thread: [1,0,0] Assertion `input_index >= 0` failed.",
)

#: Texts in which nothing is wrong with a loss, or nothing is known: no finding, whatever the verdict.
UNACCUSED: tuple[str, ...] = (
    "ValueError: x and y must have same first dimension, but have shapes (10,) and (9,)",
    "    h, w = image.shape[:2]\nAttributeError: 'NoneType' object has no attribute 'shape'",
    """    u4 = self.up3(u4) + c3
    The size of tensor a (6) must match the size of tensor b (5) at non-singleton dimension 2""",
    """  File "/env/lib/site-packages/transformers/models/bert/modeling_bert.py", line 219, in forward
    attention_scores = attention_scores + attention_mask
RuntimeError: The size of tensor a (512) must match the size of tensor b (600) at non-singleton dimension 3""",
    """  File "/env/lib/site-packages/mmcv/ops/carafe.py", line 139, in forward
    features = self.upsample(features)
RuntimeError: expected scalar type Half but found Float""",
    "RuntimeError: expected scalar type Float but found Half",
    "Subtraction, the - operator, with a bool tensor is not supported. To invert a mask, use bitwise_not()",
    "Validation loss decreased (inf --> 0.693147).  Saving model ...",
    "Epoch 1/3 - loss: 0.6931 - acc: 0.52\nEpoch 2/3 - loss: 0.55 - acc: 0.71\nEpoch 3/3 - loss: 0.42 - acc: 0.81",
    "step 100 | loss 3.2101\nstep 200 | loss 3.1902\nstep 300 | loss 3.1850\nstep 400 | loss 3.1790",
    "| rollout/ep_rew_mean | 21.3 |\n| train/policy_gradient_loss | -0.0123 |\n| train/loss | -0.01 |",
    "Loss: -0.9731\nLoss: -0.9911\nloss_fn = nn.CosineEmbeddingLoss()",
    "nn.NLLLoss, the negative log likelihood loss, after log_softmax; negative sampling comes next",
    "return torch.softmax(model(x), dim=1).argmax(1)\nloss_fn = nn.CrossEntropyLoss()\nloss = loss_fn(model(x), y)",
    "x = torch.randn(4, 5)\ny = torch.tensor([1, 2, 3, 4])\nloss = nn.CrossEntropyLoss()(x, y)\n# tensor(1.9)",
    "loss_fn = nn.CrossEntropyLoss(weight=class_weights, ignore_index=255)",
    "ValueError: num_samples should be a positive integer value, but got num_samples=0",
    "Expected argument `num_classes` to be an integer larger than 1, but got 1",
    "    if loss < best: best = loss\nRuntimeError: Boolean value of Tensor with more than one value is ambiguous",
)
