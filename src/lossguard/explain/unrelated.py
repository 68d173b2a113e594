"""What is no fault of a loss or an index: words in a text, and one sentence on what it is. Data only."""

from __future__ import annotations

from typing import Final

#: Templates in the grammar of `rules.saying`, and what each is.
UNRELATED: Final[tuple[tuple[str, str], ...]] = (
    ("out of memory", "the device has no memory left: make the batch smaller, or free what is kept between steps"),
    ("DefaultCPUAllocator: can't allocate memory", "the machine has no memory left for this tensor"),
    ("mat1 and mat2 shapes cannot be multiplied", "a linear layer and its input disagree on the number of features"),
    ("mat1 dim 1 must match mat2 dim 0", "a linear layer and its input disagree on the number of features"),
    ("size mismatch, m1: {} m2: ", "a linear layer and its input disagree on the number of features"),
    ("size mismatch, got {} mat{}vec", "a matrix and a vector of different sizes are multiplied"),
    ("must have the same dtype, but got", "two factors of a matrix product have different dtypes"),
    ("mat1 and mat2 must have the same dtype", "a linear layer and its input have different dtypes"),
    ("expected m1 and m2 to have the same dtype", "a linear layer and its input have different dtypes"),
    (
        "for argument #{n:number} {mat1|mat2|mat|other|exponent|tensor1|weight|bias|batch1|batch2|vec|end|value}",
        "an operation on two tensors got them in different dtypes or on different devices; it is no loss",
    ),
    ("in sequence argument at position #", "tensors of different dtypes are joined into one"),
    (
        "Input type ({}) and {weight|bias} type ({}) should be the same",
        "a layer and its input differ in dtype or device",
    ),
    ("should be the same or input should be a MKLDNN tensor", "a layer and its input differ in dtype or device"),
    ("CUDNN_STATUS", "cuDNN failed: memory, versions of CUDA and driver, or an unsupported layer"),
    ("no kernel image is available", "this build of torch has no code for this GPU: install one that has"),
    ("CUDA driver version is insufficient", "the driver is older than the CUDA that torch was built for"),
    ("Found no NVIDIA driver", "torch finds no NVIDIA driver on this machine"),
    ("no CUDA-capable device is detected", "torch sees no GPU: the driver, or CUDA_VISIBLE_DEVICES"),
    ("Torch not compiled with CUDA enabled", "this build of torch has no CUDA"),
    ("invalid device ordinal", "the program asks for a GPU number that this machine does not have"),
    ("all CUDA-capable devices are busy", "another process holds the GPU for itself"),
    ("Attempting to deserialize object on a CUDA device", "a checkpoint of a GPU is read where there is none"),
    (
        "Height and Width of image, mask or masks should be equal",
        "an image and its mask have different sizes, before torch came into it: resize both alike",
    ),
    ("NCCL communicator was aborted", "the processes of a distributed run lost touch"),
    ("NCCL error", "the processes of a distributed run lost touch"),
    ("ncclUnhandledCudaError", "the processes of a distributed run lost touch"),
    ("ncclSystemError", "the processes of a distributed run lost touch"),
    ("ncclInternalError", "the processes of a distributed run lost touch"),
    ("Watchdog caught collective operation timeout", "a process of a distributed run waited in vain for the others"),
    (
        "probability tensor contains either inf, nan or element < 0",
        "sampling got probabilities with NaN, infinity or negatives: look at the logits before it",
    ),
    (
        "to satisfy the constraint {} but found invalid values",
        (
            "a distribution got parameters that it cannot have, most often NaN of a network that "
            "has blown up; no loss is named"
        ),
    ),
    ("invalid multinomial distribution", "sampling got probabilities that do not sum to something positive"),
    (
        "MultinomialKernel.cu",
        "sampling got probabilities with NaN, infinity or negatives: look at the logits before it",
    ),
    (
        "_assert_async_cuda_kernel{}input[0] != 0",
        "an assertion of the program itself, or of sampling, failed on the device",
    ),
    ("does not support input type {} in MPS backend", "Metal has no such operation for this dtype: move it to the CPU"),
    ("not currently {supported|implemented} {for|on} the MPS", "Metal has no such operation: move it to the CPU"),
    ("Error(s) in loading state_dict", "a checkpoint does not fit the model"),
    ("DataLoader worker{} is killed by signal", "a loader's worker was killed: shared memory or memory ran out"),
    (
        "DataLoader worker{} exited unexpectedly",
        "a loader's worker died: its own error stands further up, if it left one",
    ),
    ("Trying to backward through the graph a second time", "backward was called twice on one graph"),
    ("modified by an inplace operation", "a tensor that backward needs was changed in place"),
    (
        "element 0 of tensors does not require grad",
        "the loss hangs on nothing trainable: argmax, detach, no_grad or numpy in between",
    ),
    (
        "grad can be implicitly created only for scalar outputs",
        "backward needs a single number: take the mean or the sum of the loss",
    ),
    ("Given groups={} weight of size", "a convolution and its input disagree on the number of channels"),
    ("Expected more than 1 value per channel when training", "batch normalisation got a batch of one"),
    ("Sizes of tensors must match except in dimension", "tensors of different sizes are joined into one"),
    ("stack expects each tensor to be equal size", "samples of different sizes are collated into one batch"),
    ("is invalid for input of size", "a view or reshape asks for another number of elements"),
    ("view size is not compatible with input tensor", "a view of a tensor that is not contiguous: use reshape"),
    ("Can't call numpy() on Tensor that requires grad", "numpy is asked for a tensor with a gradient: detach it first"),
    ("can't convert cuda{} to numpy", "numpy is asked for a tensor on the GPU: move it to the CPU first"),
    ("can't optimize a non-leaf Tensor", "an optimizer got a tensor that was computed"),
    ("optimizer got an empty parameter list", "an optimizer got no parameters"),
    ("list index out of range", "a Python list is shorter than the program expects"),
    ("tuple index out of range", "a Python tuple is shorter than the program expects"),
    ("string index out of range", "a Python string is shorter than the program expects"),
    ("CUBLAS_STATUS_NOT_SUPPORTED", "cuBLAS cannot compute this product on this GPU: its dtype, or the versions"),
    ("CUBLAS_STATUS_INVALID_VALUE", "cuBLAS cannot compute this product: the versions of torch, CUDA and driver"),
    ("is out of bounds for axis {n:number} with size", "an index is out of range in numpy, before torch came into it"),
    ("unable to open shared memory", "shared memory ran out: fewer workers, or a larger /dev/shm"),
    ("Ran out of input", "a file to be unpickled is empty"),
    ("Expected {n:number}D{} input", "a layer got an input with another number of axes"),
    (
        "NLLLoss2d.cu{}Assertion input_index >= 0",
        "torch's own index overflowed, as it does for inputs of more than 2**31 elements: make the batch smaller",
    ),
    ("ClassNLLCriterion.lua", "this is the Torch of Lua, not PyTorch"),
    (
        "Received a label value of {value:number} which is outside the valid range",
        "a loss of TensorFlow got a label that is no class: look at the smallest and largest label and the last layer",
    ),
    ("tensorflow/core/", "this is a message of TensorFlow, not of torch"),
    ("tensorflow.python.framework.errors", "this is a message of TensorFlow, not of torch"),
    ("Shape must be rank {n:number} but is rank {m:number} for", "this is a message of TensorFlow, not of torch"),
    ("/paddle/", "this is a message of PaddlePaddle, not of torch"),
    ("jax.errors", "this is a message of JAX, not of torch"),
    ("jaxlib.xla_extension", "this is a message of JAX, not of torch"),
    ("Predictions and/or references dont match the expected format", "a metric got its arguments in another form"),
    ("does not match size of target_names", "a report of scikit-learn got other names than classes"),
    ("inconsistent numbers of samples", "scikit-learn got arrays of different lengths"),
    ("Target is multiclass but average", "a metric of scikit-learn needs another average for several classes"),
    ("Unknown label type", "scikit-learn got labels of another kind than this estimator takes"),
    ("previously unseen labels", "an encoder of scikit-learn meets a class that it was not fitted on"),
    ("logits and labels must have the same shape, received", "this is a message of Keras on TensorFlow, not of torch"),
    ("num_class{?es}) but found", "this is a message of a boosting library, not of torch"),
    ("MultiClassObj: label must be in", "this is a message of a boosting library, not of torch"),
    ("The expanded size of the tensor", "a tensor is expanded or assigned to a shape that it does not fit"),
    (
        "The model did not return a loss from the inputs",
        "the trainer got no labels: name the column labels, or label_names",
    ),
    (
        "Unable to create tensor, you should probably activate truncation",
        "texts of different length are collated: pad and cut them",
    ),
    ("y_true and y_pred", "a metric of scikit-learn got predictions that do not fit the labels"),
    ("Classification metrics cant handle a mix", "a metric of scikit-learn got predictions that do not fit the labels"),
    (
        "operands could not be broadcast together with shapes",
        "numpy got two arrays whose shapes do not fit, before torch came into it",
    ),
    ("too many indices for tensor of dimension", "a tensor is indexed with more places than it has axes"),
    ("too many indices for array", "an array of numpy is indexed with more places than it has axes"),
    (
        "Please convert all Tensors to FakeTensors first",
        "torch.compile failed on its own: run it without, or update torch",
    ),
)

#: The same, for what stands in many a log beside the fault: it counts only when nothing else does.
UNRELATED_ALONE: Final[tuple[tuple[str, str], ...]] = (
    ("No module named", "a package is not installed"),
    ("cannot import name", "a package has another version than the program wants"),
    ("No such file or directory", "a file is not there"),
    ("KeyError", "a key is not in a dictionary"),
    ("KeyboardInterrupt", "the program was interrupted by hand"),
    ("object is not callable", "something that is no function is called: look for brackets too many"),
    ("invalid literal for int() with base", "a text that is no number is read as one: map names of classes to numbers"),
    ("too many dimensions str", "texts are made into a tensor: map names of classes to numbers"),
    ("INTERNAL ASSERT FAILED", "torch failed on its own, or a package was built for another torch"),
    ("not supported on {cpu|cuda}type for", "an operation that is no loss has no kernel for this dtype on this device"),
)

#: Packages whose own errors are none of torch's.
OTHER_PACKAGES: Final[tuple[tuple[str, str], ...]] = (
    ("/sklearn/", "scikit-learn"),
    ("/xgboost/", "XGBoost"),
    ("/lightgbm/", "LightGBM"),
    ("/catboost/", "CatBoost"),
    ("/tensorflow/", "TensorFlow"),
    ("/paddle/", "PaddlePaddle"),
    ("/mxnet/", "MXNet"),
    ("/jax/", "JAX"),
    ("/pandas/", "pandas"),
    ("/matplotlib/", "matplotlib"),
    ("/albumentations/", "Albumentations"),
    ("/cv2/", "OpenCV"),
    ("/PIL/", "Pillow"),
)
OTHER_PACKAGE_IS: Final = "it fails in {package}, not in torch"

#: A kernel that is missing for a dtype, and belongs to no loss.
MISSING_KERNEL: Final = "{name:word} not implemented for {dtype}"
MISSING_KERNEL_IS: Final = "an operation that is no loss has no kernel for this dtype on this device"
#: A failure inside an operation that is no loss and no index.
ELSEWHERE_IS: Final = "it fails in {op}, which is no loss and no index operation"

#: What follows from a failure on the device, and comes up in some later line that has nothing to do with it.
AFTERMATH: Final[tuple[str, ...]] = (
    "device-side assert triggered",
    "CUBLAS_STATUS_",
    "cublas runtime error",
    "unspecified launch failure",
    "illegal memory access",
    "CUDA error: misaligned address",
    "cuda runtime error (",
    "device kernel image is invalid",
)
LOST_DEVICE: Final = (
    "a kernel failed earlier: the device is lost to this process until it restarts, and the Python line shown is only "
    "where that came to light, so it may be an after-effect"
)
TRUE_LINE: Final = (
    "CUDA_LAUNCH_BLOCKING=1, set before the start, gives the true line, and so does a run on the CPU; "
    "TORCH_USE_CUDA_DSA is a flag of torch's build and cannot help with official ones"
)
