"""What launchers print when a program never starts or is killed: java, python, node, Spark, YARN, Hadoop, Flink, Airflow, CUDA, NCCL.

Sources: the JDK's launcher and HotSpot's arguments, docs.python.org (Command line), nodejs.org (CLI), spark.apache.org (Running on YARN),
hadoop.apache.org (YARN, HDFS Permissions), docs.nvidia.com (CUDA runtime, cuDNN, NCCL troubleshooting).
"""

import re

from kb.trace.messages.form import Form, Severity

FORMS: tuple[Form, ...] = (
    # --- java
    Form("java", re.compile(r"Error: (?P<message>(?:Could not create the Java Virtual Machine|A fatal exception has occurred\. Program will exit)\.)"), Severity.SUMMARY),
    Form("java", re.compile(r"Error: \w{5,40}Error occurred while loading main class "), below=re.compile(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,8}[A-Z][\w$]{2,80}): (?P<message>[^\n]++)")),
    Form("java", re.compile(r"Error: (?P<message>(?:Could not find or load main class |Unable to (?:access|initialize) |Invalid or corrupt jarfile |Main method |A JNI error has occurred|JavaFX runtime components are missing|An unexpected error occurred while trying to open file )[^\n]*+)")),
    Form("java", re.compile(r"Error occurred during initialization of (?:VM|boot layer)[ \t]*$"), below=re.compile(r"(?P<message>[^\n]++)")),
    Form("java", re.compile(r"(?P<message>(?:Unrecognized VM option '|Unrecognized option: |Invalid (?:maximum|initial) heap size: |Improperly specified VM option |Conflicting collector combinations )[^\n]++)")),
    Form("java", re.compile(r"(?:Java HotSpot|OpenJDK)[\w() -]{1,40} warning: (?P<message>[^\n]++)"), Severity.WARNING),
    Form("java", re.compile(r"ERROR: (?P<message>(?:transport error \d{1,4}: |JDWP )[^\n]++)")),
    Form("java", re.compile(r"(?P<message>JDWP exit error \w{1,60}\(\d{1,4}\): [^\n]++)"), Severity.SUMMARY),
    # --- python, node
    Form("python", re.compile(r"(?:[^\s:]{0,300}/)?(?:python|pypy)[\d.]{0,6}(?:\.exe)?: (?P<message>(?:can't open file |No module named |can't find |Error while finding module )[^\n]++)")),
    Form("python", re.compile(r"(?P<message>Unknown option: --?\w[\w-]{0,60})[ \t]*$")),
    Form("node", re.compile(r"(?:[^\s:]{0,300}/)?node(?:\.exe)?: (?P<message>(?:bad option: |\S{1,120} (?:requires an argument|is not allowed in NODE_OPTIONS))[^\n]*+)")),
    # --- Spark, YARN, Hadoop
    Form("spark", re.compile(r"(?P<type>ExecutorLostFailure) \([^)\n]{1,200}\) Reason: (?P<message>[^\n]++)")),
    Form("spark", re.compile(r"Error: (?P<message>(?:Failed to load class |Unrecognized option: |Missing application resource|Cannot load main class from JAR |No main class set in JAR )[^\n]*+)")),
    Form("spark", re.compile(r"(?P<message>Could not find valid SPARK_HOME while searching [^\n]++)")),
    Form("yarn", re.compile(r"(?P<message>Container (?:killed by YARN for |\[pid=\d{1,10},containerID=\w{1,80}\] is running )[^\n]++)")),
    Form("yarn", re.compile(r"Exit status: -?\d{1,5}\. Diagnostics: (?P<message>[^\n]++)")),
    Form("yarn", re.compile(r"(?P<message>Application application_\d{1,20}_\d{1,10} failed \d{1,4} times due to [^\n]++)")),
    Form("yarn", re.compile(r"(?:[ \t]*diagnostics|Diagnostics): (?P<message>(?:User class threw exception: |Container |Exception |Failing |Application |AM Container |Task )[^\n]++)")),
    Form("yarn", re.compile(r"(?P<message>Container exited with a non-zero exit code \d{1,5})"), Severity.SUMMARY),
    Form("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Permission denied: user=\S{1,100}, access=\w{1,30}, inode=[^\n]++)")),
    Form("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Call From \S{1,300} to \S{1,300} failed on [^\n]++)")),
    Form("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Cannot [^\n]{1,400}?\. Name node is in safe mode\.)")),
    # --- Flink, Airflow
    Form("flink", re.compile(r"The program finished with the following exception:[ \t]*$"), below=re.compile(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,12}[A-Z][\w$]{2,80})(?:: (?P<message>[^\n]++))?")),
    Form("airflow", re.compile(r"Broken (?:DAG|plugin): \[[^\]\n]{1,500}\] (?!Traceback)(?P<message>[^\n]++)")),
    Form("airflow", re.compile(r"(?P<message>Task exited with return code (?!0\b)-?\d{1,5})"), Severity.SUMMARY),
    # --- CUDA, NCCL; RuntimeError and OutOfMemoryError of PyTorch are the runtime python's
    Form("cuda", re.compile(r"(?:RuntimeError: )?(?P<type>CUDA error): (?P<message>[^\n]++)")),
    Form("cuda", re.compile(r"(?:RuntimeError: )?(?:cuDNN|CUDA|CUBLAS|cuBLAS) error: (?P<type>(?:CUDNN|CUBLAS|CUFFT|CUSOLVER|CUSPARSE|CURAND)_STATUS_[A-Z_]{3,60})(?: (?P<message>when calling [^\n]++))?")),
    Form("nvidia", re.compile(r"(?P<message>NVIDIA-SMI has failed because [^\n]++|Failed to initialize NVML: [^\n]++|No devices were found[ \t]*$)")),
    Form("nccl", re.compile(r"(?:[\w.-]{1,253}:\d{1,10}:\d{1,10} \[\d{1,4}\] )?(?:[\w/.-]{1,120}:\d{1,6} )?NCCL WARN (?P<message>[^\n]++)")),
    Form("nccl", re.compile(r"(?P<type>nccl(?:System|Internal|UnhandledCuda|InvalidArgument|InvalidUsage|Remote)Error): (?P<message>[^\n]++)")),
    Form("nccl", re.compile(r"(?:RuntimeError: )?(?P<message>NCCL error in: [^\n]++)"), Severity.SUMMARY),
)  # fmt: skip
