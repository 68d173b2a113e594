"""What is chosen by operation, by sign and size of a value, by meaning, device and dtype. A row a choice."""

from __future__ import annotations

from typing import Final

from lossguard.explain.choices.choice import Choice

_GRAPH: Final = r"edge_index|torch_geometric|\bdgl\b|\bedges?\b|num_nodes"
_BERT: Final = r"transformers|tokenizer|bert|input_ids|from_pretrained|gpt|llama|token"
_POSITIONS: Final = r"position_?(?:ids|_?embed)|wpe\b|max_position|embed_positions"
_DQN: Final = r"q_?values?|q_?net|\bdqn\b|state_action|replay|actions?\b|_q\b|policy_net|target_net"
_GATHER: Final = frozenset({"gather", "scatter", "take_along_dim"})
_PICKING: Final = frozenset({"getitem", "index", "index_select", "index_put", "index_add", "index_copy"})
_TABLES: Final = frozenset({"embedding", "embedding_bag"})
_BCE: Final = frozenset({"binary_cross_entropy"})

VALUES: Final[tuple[Choice, ...]] = (
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
    Choice(
        "LG210",
        "{value} is no index: two int32 numbers were read as one int64.",
        "give the index in int64",
        "index.long()",
        value="huge",
    ),
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
        _GATHER | _PICKING,
    ),
    Choice(
        "LG210",
        "An index points beyond the axis it looks into: it was made for another tensor, is negative, or counts from 1.",
        "compare them before the call",
        "assert 0 <= int(index.min()) and int(index.max()) < x.size(dim)",
        words=r"index [a-z]\w* is out of bounds for dimension",
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
        _TABLES,
        value="known",
    ),
    Choice(
        "LG210",
        "Index {value} points beyond the {size} places of its axis, counted from 0: it was made for another tensor, or "
        "counts from 1.",
        "compare them just before the line that fails",
        "assert 0 <= int(index.min()) and int(index.max()) < x.size(dim)",
        value="sized",
    ),
    Choice(
        "LG210",
        "Ids count from 0: the largest, {value}, needs a table of {more} rows.",
        "make the table long enough",
        "nn.Embedding({more}, width)",
        value="known",
    ),
    Choice(
        "LG501",
        "The class weights stayed on the CPU.",
        "move the weights, or the loss that holds them",
        "loss_fn = nn.CrossEntropyLoss(weight=weight).to(device)",
        words=r"(?:got|argument(?: for argument)?|#\d) (?:pos_)?weight|pos_weight|loss\(.{0,40}\bweight=",
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
    Choice(
        "LG303",
        "",
        "give the loss what the last layer gives, before the sigmoid",
        "F.binary_cross_entropy_with_logits(logits, target)",
        words=r"bcewithlogits|binary_cross_entropy_with_logits",
    ),
    Choice(
        "LG303",
        "",
        "one sigmoid only: take it out of the model, or give BCELoss what the model gives",
        "return logits  # in forward, with BCEWithLogitsLoss; or nn.BCELoss()(torch.sigmoid(logits), target)",
        words=r"\bbce|sigmoid twice|sigmoid activation",
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
        words=r"mask|unet|dice|segment|normalize|\biou",
    ),
    Choice(
        "LG205",
        "",
        "labels of -1 and 1 become 0 and 1, numbers of several classes need cross_entropy, images are divided by 255",
        "print(target.min(), target.max(), target.unique()[:10])",
    ),
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
        "loss = loss_fn(output, target) if (target != -1).any() else output.sum() * 0",
        words=r"(?<![\w.])-1\b(?!00)",
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
    Choice(
        "LG106",
        "Whole numbers have no softmax: a count, a length or an index was given in place of scores.",
        "give it the scores; if the numbers are meant, make them floating",
        "x.float().softmax(dim=-1)",
        words=r"(?<!log_)softmax\(",
    ),
    Choice(
        "LG106",
        "The loss was given the predicted classes or other whole numbers, not the scores.",
        "give the loss the scores, before argmax and casts",
        "loss_fn(logits, target)",
    ),
    Choice(
        "LG504",
        "The functional loss gives the number already; its result is called once more.",
        "leave the second pair of brackets away",
        "loss = F.cross_entropy(output, target)",
        words=r"\b(?:f|functional)\.[a-z_]{3,40}\([^()]{1,80}\)\(",
    ),
    Choice(
        "LG502",
        "",
        "make the labels a tensor; names of classes need numbers first",
        "torch.as_tensor(target)",
    ),
    Choice(
        "LG503",
        "The field of the batch is a pair of ids and lengths.",
        "take the ids, and give the lengths to what needs them",
        "ids, lengths = batch.text",
        _TABLES,
        words=r"not tuple|include_lengths",
    ),
    Choice(
        "LG503",
        "The indices are plain numbers or an array, not a tensor.",
        "make them a tensor of int64 on the device of the table",
        "torch.as_tensor(ids, dtype=torch.int64, device=table.weight.device)",
        _TABLES | _GATHER | frozenset({"index_select", "one_hot"}),
    ),
    Choice(
        "LG503",
        "The model gives several values, and the first is the output.",
        "take the first",
        "output = model(inputs)[0]",
        words=r"\b(?:tuple|list) object|not (?:tuple|list)\b",
    ),
)
