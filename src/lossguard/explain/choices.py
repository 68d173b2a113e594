"""Causes and fixes to choose from, a row each: by operation, by sign and size of the value, by the argument named."""

from __future__ import annotations

from typing import Final

from lossguard.records import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """Where all columns fit a text, this cause and this fix come first; of a rule, the first row that fits."""

    rule: str
    cause: str
    title: str
    #: May hold {value}, {more} (value + 1) and {size}, which are those of the text.
    code: str = ""
    ops: frozenset[str] = frozenset()
    #: "huge", "mark", "negative", "minus one", "size" (equal to the size), "known", or in what shapes differ:
    #: "rows", "no batch", "channels", "colour", "space", "more rows", "more labels"; empty for any.
    value: str = ""
    #: A pattern that the bare words fit.
    words: str = ""
    #: Whether the rule's own fix is worth a second line.
    keeps: bool = False


_GRAPH: Final = r"edge_index|torch_geometric|\bdgl\b|\bedges?\b|num_nodes"
_BERT: Final = r"transformers|tokenizer|bert|input_ids|from_pretrained|gpt|llama|token"
_POSITIONS: Final = r"position_?(?:ids|_?embed)|wpe\b|max_position|embed_positions"
_DQN: Final = r"q_?values?|q_?net|\bdqn\b|state_action|replay|actions?\b|_q\b|policy_net|target_net"
_GATHER: Final = frozenset({"gather", "scatter", "take_along_dim"})
_BCE: Final = frozenset({"binary_cross_entropy"})

CHOICES: Final[tuple[Choice, ...]] = (
    # Classes
    Choice(
        "LG201",
        "{value} is no label: two int32 numbers were read as one int64.",
        "read the labels in the dtype they have, then convert",
        "torch.from_numpy(labels.astype('int64'))",
        value="huge",
    ),
    Choice(
        "LG201",
        "-1 is what stays of a 0 when 1 is subtracted from labels that count from 0 already, or a mark for no label.",
        "leave the labels as they are, or name the mark",
        "F.cross_entropy(logits, target, ignore_index=-1)",
        value="minus one",
    ),
    Choice(
        "LG201",
        "A negative label comes from a subtraction, a code for missing data, or a lookup that failed.",
        "number the classes anew, 0 to C - 1, after looking at what {value} stands for",
        "classes, target = torch.unique(labels, return_inverse=True)",
        value="negative",
    ),
    Choice(
        "LG201",
        "A mask image of 0 and 255 has two classes, not 256.",
        "make the mask's values class indices before one_hot",
        "mask = (mask > 0).long()",
        frozenset({"one_hot"}),
        words=r"mask|segment",
    ),
    Choice(
        "LG201",
        "one_hot was given fewer classes than the labels have.",
        "count the classes over the whole dataset",
        "F.one_hot(labels, num_classes=int(all_labels.max()) + 1)",
        frozenset({"one_hot"}),
    ),
    Choice(
        "LG201",
        "{value} equals the number of classes: labels count from 1, or the last layer has one output too few.",
        "if the smallest label is 1, count from 0; else add the output",
        "target - 1",
        value="size",
    ),
    Choice(
        "LG201",
        "The head of the pretrained model has fewer labels than the data.",
        "give the model as many labels as there are",
        "from_pretrained(name, num_labels=len(label_list))",
        words=r"transformers|num_labels|from_pretrained|forsequenceclassification|fortokenclassification",
    ),
    Choice(
        "LG201",
        "The vocabulary of the labels is larger than the last layer.",
        "give the last layer an output for each id",
        "nn.Linear(features, {more})",
        value="known",
        words=r"vocab|token|logits\.view\(-1",
    ),
    Choice(
        "LG201",
        "Classes count from 0: label {value} needs a last layer with at least {more} outputs.",
        "give the last layer an output for each class",
        "nn.Linear(features, {more})",
        value="known",
        keeps=True,
    ),
    Choice(
        "LG201",
        (
            "A label is negative or not below the number of outputs: it counts from 1, is a mark "
            "such as 255, or the head is small."
        ),
        "look just before the loss; then count from 0, ignore the mark or widen the head",
        "assert 0 <= int(target.min()) and int(target.max()) < logits.size(1)",
        keeps=True,
    ),
    Choice(
        "LG202",
        "{value} marks what has no label, and the loss was not told.",
        "tell the loss which value means no label",
        "F.cross_entropy(logits, target, ignore_index={value})",
        value="mark",
    ),
    # Indices
    Choice(
        "LG210",
        "The edges name a node that is not there: nodes are numbered from 0, without gaps, in each graph.",
        "number the nodes anew",
        "_, edge_index = torch.unique(edge_index, return_inverse=True)",
        words=_GRAPH,
    ),
    Choice(
        "LG210",
        "A mask image of 0 and 255 has two classes, not 256.",
        "make the mask's values class indices before one_hot",
        "mask = (mask > 0).long()",
        frozenset({"one_hot"}),
        words=r"mask|segment",
    ),
    Choice(
        "LG210",
        "one_hot was given fewer classes than the labels have.",
        "count the classes over the whole dataset",
        "F.one_hot(labels, num_classes=int(all_labels.max()) + 1)",
        frozenset({"one_hot"}),
    ),
    Choice(
        "LG210",
        "Class values must be smaller than num_classes: one_hot was given too few.",
        "count the classes over the whole dataset",
        "F.one_hot(labels, num_classes=int(all_labels.max()) + 1)",
        words=r"num_classes",
    ),
    Choice(
        "LG210",
        "An action's number is not below the number of outputs of the network.",
        "one output for each action, actions numbered from 0",
        "assert int(actions.max()) < q_values.size(1)",
        _GATHER,
        words=_DQN,
    ),
    Choice(
        "LG210",
        "Label {value} has no column: there are {size} classes, counted from 0.",
        "make room for every class",
        "num_classes = {more}",
        _GATHER,
        value="known",
        words=r"label|target|one_?hot",
    ),
    Choice(
        "LG210",
        "An index points beyond the axis it looks into: it was made for another tensor, or counts from 1.",
        "compare them before the call",
        "assert 0 <= int(index.min()) and int(index.max()) < x.size(dim)",
        _GATHER,
    ),
    Choice(
        "LG210",
        "The text is longer than the model has positions for.",
        "cut it to what the model has",
        "tokenizer(text, truncation=True, max_length=model.config.max_position_embeddings)",
        words=_POSITIONS,
    ),
    Choice(
        "LG210",
        "A negative id, most often padding of -1 or -100 meant for the labels, is looked up in the table.",
        "pad ids with an id that the table has",
        "ids.clamp(min=0)",
        value="negative",
    ),
    Choice(
        "LG210",
        "A negative id, most often padding of -1 or -100 meant for the labels, is looked up in the table.",
        "pad ids with an id that the table has",
        "ids.clamp(min=0)",
        value="mark",
    ),
    Choice(
        "LG210",
        "The tokenizer knows tokens that the model's table has no row for, or a text is too long for its positions.",
        "make the table as long as the tokenizer",
        "model.resize_token_embeddings(len(tokenizer))",
        words=_BERT,
    ),
    Choice(
        "LG210",
        "Ids count from 0: the largest, {value}, needs a table of {more} rows.",
        "make the table long enough",
        "nn.Embedding({more}, width)",
        value="known",
    ),
    # Devices
    Choice(
        "LG501",
        "The class weights stayed on the CPU.",
        "move the weights, or the loss that holds them",
        "loss_fn = nn.CrossEntropyLoss(weight=weight).to(device)",
        words=r"(?:got|argument(?: for argument)?|#\d) (?:pos_)?weight|pos_weight",
    ),
    Choice(
        "LG501",
        "The indices are not where the table is.",
        "move them",
        "ids.to(table.weight.device)",
        frozenset({"embedding", "embedding_bag", "index_select", "gather", "scatter"}),
    ),
    Choice(
        "LG501",
        "Data of the batch was not moved to the XLA device.",
        "load through the device, or move each tensor",
        "target.to(xm.xla_device())",
        words=r"xla",
    ),
    # Precision
    Choice(
        "LG108",
        "BCELoss takes probabilities, and in half precision these round to 0 and 1.",
        "leave the sigmoid to the loss: it is safe under autocast",
        "nn.BCEWithLogitsLoss()(logits, target)",
        _BCE,
    ),
    Choice(
        "LG108",
        "BCELoss takes probabilities, and in half precision these round to 0 and 1.",
        "leave the sigmoid to the loss: it is safe under autocast",
        "nn.BCEWithLogitsLoss()(logits, target)",
        words=r"unsafe to autocast",
    ),
    # Lengths
    Choice(
        "LG408",
        "The lengths count samples or unpooled frames; the loss counts the steps that the network gives.",
        "take the lengths after the network's strides",
        "input_lengths = torch.full((log_probs.size(1),), log_probs.size(0))",
        words=r"expected input_lengths to have value at most",
    ),
    Choice(
        "LG408",
        "There is not one length for each sample.",
        "one length for a sample, in the batch's order",
        "target_lengths = torch.tensor([len(text) for text in texts])",
        words=r"must be of size batch_size",
    ),
    Choice(
        "LG408",
        "A target length is larger than the padded targets are wide.",
        "measure the lengths on the texts that are padded",
        "target_lengths = torch.tensor([len(text) for text in texts])",
        words=r"argument #2 targets",
    ),
    Choice(
        "LG408",
        "A sample has more labels than the network gives steps, and its loss is infinite.",
        "leave such samples out, or let the loss do so",
        "nn.CTCLoss(zero_infinity=True)",
    ),
    # Meaning and range, from symptoms and code
    Choice(
        "LG303",
        "",
        "give the loss what the last layer gives, before the sigmoid",
        "F.binary_cross_entropy_with_logits(logits, target)",
        words=r"bcewithlogits|binary_cross_entropy_with_logits",
    ),
    Choice(
        "LG303", "", "give the loss what the last layer gives, before the softmax", "F.cross_entropy(logits, target)"
    ),
    Choice(
        "LG301",
        "",
        "take the logarithm of the softmax first, or cross_entropy, which does both",
        "F.nll_loss(F.log_softmax(scores, dim=1), target)",
    ),
    Choice("LG302", "", "take log_softmax in place of softmax", "F.log_softmax(scores, dim=1)"),
    Choice("LG304", "", "make each row sum to 1", "target / target.sum(dim=1, keepdim=True)"),
    Choice(
        "LG205",
        "",
        "make the mask 0 and 1, after all transforms of images",
        "target = (mask > 0).float()",
        words=r"mask|unet|dice|segment|normalize",
    ),
    Choice("LG205", "", "scale the target to 0 to 1", "target / 255"),
    Choice(
        "LG203",
        "",
        "drop the rows without a label before training",
        'frame = frame.dropna(subset=["label"])',
        words=r"csv|\bdf\b|frame|column|pandas",
    ),
    Choice("LG203", "", "find the samples with NaN, and drop or fill them", "torch.isnan(target).nonzero()"),
    Choice(
        "LG207",
        "Softmax came out 0, and its logarithm is -inf.",
        "take both in one step",
        "F.log_softmax(scores, dim=1)",
        words=r"softmax.{0,40}log|log\(.{0,20}softmax",
    ),
    Choice(
        "LG207",
        "A score of -inf, from a mask, times 0 is NaN.",
        "mask with the smallest finite number",
        "scores.masked_fill(mask, torch.finfo(scores.dtype).min)",
        words=r"-inf\b|masked_fill",
    ),
    Choice(
        "LG207",
        "",
        "find where it begins, then take the step smaller or the data clean",
        "torch.autograd.set_detect_anomaly(True)",
    ),
    Choice(
        "LG208",
        "",
        "leave out a batch without labels",
        "loss = loss_fn(output, target) if (target != -100).any() else output.sum() * 0",
    ),
    Choice(
        "LG213", "", "number the classes before the cast", "classes, target = torch.unique(labels, return_inverse=True)"
    ),
    Choice(
        "LG211",
        "",
        "one class more than the alphabet has letters, and labels that leave the blank out",
        "nn.CTCLoss(blank=0)  # labels from 1 to classes - 1",
    ),
    Choice("LG406", "", "give the target the shape of the output", "target.view_as(output)"),
    Choice(
        "LG106",
        "The loss was given the predicted classes or other whole numbers, not the scores.",
        "give the loss the scores, before argmax and casts",
        "loss_fn(logits, target)",
    ),
    Choice(
        "LG407",
        "pos_weight is laid against the last axis of the input.",
        "one weight for each output; for images, with axes for height and width",
        "pos_weight.view(-1, 1, 1)",
        words=r"pos_weight",
    ),
    Choice(
        "LG407",
        "",
        "one weight for each class, or for each output in the case of pos_weight",
        "weight = torch.ones(classes)",
    ),
    Choice(
        "LG403",
        "The output has a row for each pixel, step or window of a sample: an axis was flattened into the batch.",
        "keep the batch first when flattening",
        "output.view(target.size(0), -1)",
        value="more rows",
    ),
    Choice(
        "LG403",
        "There are several labels for each row of the output: a view in the model joined samples, or the target was "
        "flattened.",
        "keep the batch first wherever the model or the target is reshaped",
        "x.view(x.size(0), -1)",
        value="more labels",
    ),
    Choice(
        "LG403",
        "Input and target are of different batches: one was cut, dropped or taken from another loader.",
        "take both from the same batch, and cut both alike",
        "for inputs, target in loader: output = model(inputs)",
    ),
    Choice(
        "LG404",
        "The output has one axis: its batch axis was squeezed, indexed or pooled away.",
        "keep (N, C): no squeeze or [0] on the output, and unsqueeze(0) for a single sample",
        "output.unsqueeze(0)",
        words=r"range of \[-1, 0\]",
    ),
    Choice(
        "LG402",
        "Three channels are a colour image more often than three classes.",
        "read the mask as class indices, one number for a pixel",
        "mask = torch.as_tensor(np.array(Image.open(path).convert('L'))).long()",
        words=r"targets of size: : ?\[\d+, ?3, ?\d+, ?\d+\]",
    ),
    Choice(
        "LG405",
        "A mask read as a colour image.",
        "give each colour the index of its class, one number for a pixel",
        "mask = sum(k * (image == colour).all(-1) for k, colour in enumerate(colours))",
        words=r"targets of size: : ?\[\d+, ?\d+, ?\d+, ?[34]\]",
    ),
    Choice(
        "LG405",
        "The output has no batch axis: it was squeezed, indexed or pooled away.",
        "keep (N, C): no squeeze or [0] on the output",
        "output.unsqueeze(0)",
        value="no batch",
    ),
    Choice(
        "LG405",
        "The mask was read as a colour image: it has three channels where the model gives one.",
        "read it in one channel",
        "Image.open(path).convert('L')",
        value="colour",
    ),
    Choice(
        "LG405",
        "The model gives {given} channels or classes, the target has {wanted}.",
        "make the last layer give as many as the target has",
        "nn.Linear(features, {wanted})  # or nn.Conv2d(features, {wanted}, 1)",
        value="channels",
    ),
    Choice(
        "LG405",
        "Output and mask have different resolutions.",
        "bring the output to the size of the mask",
        "F.interpolate(output, size=target.shape[2:], mode='bilinear')",
        value="space",
    ),
    Choice(
        "LG405",
        "The two sides have different numbers of rows: one was filtered, doubled or cut and the other was not.",
        "apply the same selection to both",
        "output[keep], target[keep]",
        value="rows",
    ),
    Choice(
        "LG405",
        "The model gives a score for every pixel, and the target has one label for each image.",
        "pool the scores, or give the loss a mask",
        "logits.mean(dim=(2, 3))",
        words=r"but got targets of size: : ?\[\d+\]|targets of dimension: 1\b",
    ),
    Choice(
        "LG405",
        "",
        "look at both shapes, and make them agree where the tensors are made",
        "assert output.shape == target.shape, (output.shape, target.shape)",
        keeps=True,
    ),
    Choice(
        "LG502",
        "",
        "make the labels a tensor; names of classes need numbers first",
        "torch.as_tensor(target)",
    ),
    Choice(
        "LG503",
        "The model gives several values, and the first is the output.",
        "take the first",
        "output = model(inputs)[0]",
        words=r"\b(?:tuple|list) object|not (?:tuple|list)\b",
    ),
)
