"""What is chosen by shapes and lengths. A row a choice."""

from __future__ import annotations

from typing import Final

from lossguard.explain.choices.choice import Choice

SHAPES: Final[tuple[Choice, ...]] = (
    Choice(
        "LG408",
        "The lengths count samples or unpooled frames; the loss counts the steps that the network gives.",
        "take the lengths after the network's strides",
        "input_lengths = torch.full((log_probs.size(1),), log_probs.size(0))",
        words=r"expected input_lengths to have value at most",
    ),
    Choice(
        "LG408",
        "There is not one input length for each sample: log_probs is (T, N, C), and N is counted on its second axis.",
        "put time first, and give one length for each sample",
        "input_lengths = torch.full((log_probs.size(1),), log_probs.size(0))",
        words=r"input_lengths must be of size batch_size",
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
    Choice(
        "LG406",
        "Output and target have different resolutions.",
        "bring both to one size where they are made, or the output to the size of the target",
        "F.interpolate(output, size=target.shape[2:])",
        value="space",
    ),
    Choice(
        "LG406",
        "One target stands for several predictions, and is compared with each.",
        "if that is meant, say so; else choose the prediction that it belongs to",
        "target.expand_as(output)",
        value="one for many",
    ),
    Choice(
        "LG406",
        "The two sides have different numbers of rows: one was filtered or is empty, and the other was not.",
        "apply the same selection to both",
        "output[keep], target[keep]",
        value="rows",
    ),
    Choice("LG406", "", "give the target the shape of the output", "target.view_as(output)"),
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
        "One side is longer by one step in each sequence: it was shifted or cut, and the other was not.",
        "shift both alike before they are flattened",
        "loss_fn(output[:, :-1].flatten(0, 1), target[:, 1:].flatten())",
        value="a step",
    ),
    Choice(
        "LG403",
        (
            "The numbers of rows have nothing in common: sequences of different length were flattened, or one side was "
            "cut, filtered or taken from another batch."
        ),
        "compare both before any view(-1, ...), and cut both alike",
        "assert output.shape[:-1] == target.shape, (output.shape, target.shape)",
    ),
    Choice(
        "LG404",
        "The input has no axis left, or is empty: a mask took every pixel out of it, or a mean was taken.",
        "keep (N, C), and leave out a batch in which every label is ignored",
        "if (target >= 0).any(): loss = loss_fn(output, target)",
        words=r"dimensions ?\(got 0\)",
    ),
    Choice(
        "LG404",
        "The output has scores for each step or place, and the target has one label for each sample.",
        "take one step, or the mean over them; labels for each step have the shape that torch expects",
        "output[:, :, -1]  # or output.mean(dim=2); output[:, -1] where classes are last",
        words=r"expected target size [\[(]\d+, ?\d+[\])], got (?:torch\.size\()?\[\d+\]",
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
        "The target holds indices in one channel, and the output has a channel for each of {given} classes.",
        (
            "where the loss wants equal shapes, make the target one-hot; cross_entropy takes the indices without the "
            "channel"
        ),
        "F.one_hot(target.squeeze(1).long(), {given}).movedim(-1, 1).float()",
        value="index channel",
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
        "A mask read as a colour image.",
        "give each colour the index of its class, one number for a pixel",
        "mask = sum(k * (image == colour).all(-1) for k, colour in enumerate(colours))",
        value="colours last",
    ),
    Choice(
        "LG405",
        "One side is longer by one: a step was shifted, a column kept, or an odd size was halved and doubled.",
        "find the side that is wrong, or cut the longer one",
        "size = min(output.size(1), target.size(1)); loss_fn(output[:, :size], target[:, :size])",
        value="off by one",
    ),
    Choice(
        "LG405",
        "The two have different numbers of channels: an overlap is computed on one-hot masks of as many classes.",
        "make the mask indices, then one-hot with as many classes as the model has",
        "F.one_hot(mask_of_indices.long(), num_classes).movedim(-1, 1)",
        words=r"size of tensor a.{0,80}dimension 1\b.{0,200}(?:dice|mask|label)",
    ),
    Choice(
        "LG405",
        "",
        "look at both shapes, and make them agree where the tensors are made",
        "assert output.shape == target.shape, (output.shape, target.shape)",
        keeps=True,
    ),
)
