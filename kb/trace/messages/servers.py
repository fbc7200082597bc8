"""How servers log an error, and how launchers of programs (java, python, spark-submit, yarn) say that one did not start.

Sources: nginx.org (error_log), httpd.apache.org (ErrorLogFormat), docs.haproxy.org, the manual pages systemctl(1), systemd.exec(5),
erlang.org (logger_formatter), rabbitmq.com (logging), redis.io, developer.hashicorp.com.

Sources: the JDK's launcher and HotSpot's arguments, docs.python.org (Command line), nodejs.org (CLI), spark.apache.org (Running on YARN),
hadoop.apache.org (YARN, HDFS Permissions), docs.nvidia.com (CUDA runtime, cuDNN, NCCL troubleshooting).
"""

import re

from kb.trace.messages.form import MessageForm, Severity

_UNTIL_CLIENT = r"(?P<message>(?:(?!, client: )[^\n]){1,8000}+)"
_NGINX = r"(?:\d{4}/\d\d/\d\d \d\d:\d\d:\d\d )?"
_HTTPD = r"(?:\[[A-Z][a-z]{2} [A-Z][a-z]{2} [\d:. ]{1,30}\] )?"
_HTTPD_WHO = r"(?: ?\[pid \d{1,10}(?::tid \d{1,20})?\])?(?: \[(?:client|remote) \S{1,80}\])?"
_HTTPD_WHY = r"(?:\(\d{1,6}\)[^:\n]{1,200}: )?(?:(?P<type>AH\d{5}): )?(?P<message>(?:(?!, referer: )[^\n]){1,8000}+)"
_SQUID = r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?: kid\d{1,3})?\| "
_HAPROXY = r"(?:\d{1,3}/\d{6} )?\(\d{1,10}\) : "
_REDIS = r"\d{1,10}:[MCSX] \d\d [A-Z][a-z]{2} (?:\d{4} )?\d\d:\d\d:\d\d\.\d{3} # "
_UNIT = r"[\w@.\\:-]{1,200}\.(?:service|socket|mount|timer|target|device|swap|path|slice|scope)"
_SYSTEMD = r"(?:systemd(?:\[\d{1,10}\])?: )?"
_ERLANG = r"(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d\.\d{1,6}(?:[+-]\d\d:\d\d|Z)? )?"
# The reasons of exits that Erlang itself raises; https://www.erlang.org/doc/system/errors.html
_EXIT = r"badarg|badarith|badmatch|function_clause|case_clause|if_clause|try_clause|undef|badfun|badarity|timeout_value|noproc|nocatch|system_limit|badkey|badmap|badrecord|noconnection"

FORMS: tuple[MessageForm, ...] = (
    # --- nginx: [level] pid#tid: *connection text, client: ...
    MessageForm("nginx", re.compile(rf"{_NGINX}\[(?:error|crit|alert|emerg)\] \d{{1,10}}#\d{{1,10}}: (?:\*\d{{1,20}} )?{_UNTIL_CLIENT}")),
    MessageForm("nginx", re.compile(rf"{_NGINX}\[warn\] \d{{1,10}}#\d{{1,10}}: (?:\*\d{{1,20}} )?{_UNTIL_CLIENT}"), Severity.WARNING),
    MessageForm("nginx", re.compile(r"nginx: \[(?:error|crit|alert|emerg)\] (?P<message>[^\n]++)")),
    MessageForm("nginx", re.compile(r"nginx: \[warn\] (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("nginx", re.compile(r"nginx: (?P<message>configuration file \S{1,500} test failed)"), Severity.SUMMARY),
    # --- Apache: [time] [module:level] [pid:tid] [client] (errno)text: AHnnnnn: text
    MessageForm("httpd", re.compile(rf"{_HTTPD}\[\w{{0,40}}:(?:error|crit|alert|emerg)\]{_HTTPD_WHO} {_HTTPD_WHY}")),
    MessageForm("httpd", re.compile(rf"{_HTTPD}\[\w{{0,40}}:warn\]{_HTTPD_WHO} {_HTTPD_WHY}"), Severity.WARNING),
    MessageForm("httpd", re.compile(r"\[[A-Z][a-z]{2} [A-Z][a-z]{2} [\d:. ]{1,30}\] \[(?:error|crit|alert|emerg)\](?: \[client \S{1,80}\])? (?P<message>(?:(?!, referer: )[^\n]){1,8000}+)")),  # 2.2
    MessageForm("httpd", re.compile(r"(?P<type>AH\d{5}): Syntax error on line \d{1,9} of [^\n]{1,500}:[ \t]*$"), below=re.compile(r"(?P<message>[^\n]++)")),
    MessageForm("httpd", re.compile(r"(?P<type>AH00558): (?P<message>[^\n]++)"), Severity.WARNING),  # "Could not reliably determine the server's name": stands before every failure
    MessageForm("httpd", re.compile(r"(?:\(\d{1,6}\)[^:\n]{1,200}: )?(?P<type>AH\d{5}): (?P<message>[^\n]++)")),
    # --- HAProxy, Squid
    MessageForm("haproxy", re.compile(rf"(?:\[(?:WARNING|ALERT)\] {{1,4}}{_HAPROXY})?(?P<message>Server \S{{1,200}}/\S{{1,200}} is DOWN, reason: [^\n]++)")),
    MessageForm("haproxy", re.compile(rf"\[ALERT\] {{1,4}}{_HAPROXY}(?P<message>[^\n]++)")),
    MessageForm("haproxy", re.compile(rf"\[WARNING\] {{1,4}}{_HAPROXY}(?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("squid", re.compile(rf"{_SQUID}(?:FATAL: |ERROR: )(?P<message>[^\n]++)")),
    MessageForm("squid", re.compile(rf"{_SQUID}WARNING: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("squid", re.compile(rf"{_SQUID}(?P<message>(?:commBind Cannot bind|\S{{1,300}}\(\d{{1,6}}\): unrecognized: )[^\n]++)")),
    # --- systemd: statuses from 200 on are its own (203/EXEC), below them they are the program's
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: (?P<message>Failed at step [A-Z_]{{2,30}} spawning [^\n]++)")),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: Main process exited, code=exited, status=(?P<type>2\d\d/[A-Z_]{{2,40}})"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: (?P<message>(?:Main|Control) process exited, code=\w{{1,20}}, status=\S{{1,40}})"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: Failed with result '(?P<type>oom-kill|watchdog)'")),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: (?P<message>Failed with result '[\w-]{{1,40}}')"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}{_UNIT}: (?P<message>(?:Command \S{{1,300}} is not executable: |Start request repeated too quickly|A process of this unit has been killed by the OOM killer|(?:start|stop) operation timed out|Failed to )[^\n]*+)")),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}(?P<message>Unit {_UNIT} entered failed state)"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}(?P<message>Failed to (?:start|stop|restart|reload|enable|disable|mask|unmask) {_UNIT}: [^\n]++)")),
    MessageForm("systemd", re.compile(rf"{_SYSTEMD}(?P<message>Failed to start {_UNIT} - [^\n]++)"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(r"systemd\[\d{1,10}\]: (?P<message>Failed to start [^\n]++)"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(r"Active: (?P<message>failed \(Result: [\w-]{1,40}\))"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(rf"(?P<message>(?:Job for {_UNIT} (?:failed|canceled)|A dependency job for {_UNIT} failed)[^\n]*+)"), Severity.SUMMARY),
    MessageForm("systemd", re.compile(r"(?P<message>System has not been booted with systemd as init system [^\n]++)")),
    MessageForm("systemd", re.compile(r"(?P<message>Failed to (?:connect to bus|get D-Bus connection): [^\n]++)")),
    # --- Elasticsearch's checks at start: a count, then one a line
    MessageForm("elasticsearch", re.compile(r"(?:ERROR: )?\[\d{1,3}\] bootstrap checks failed"), below=re.compile(r"(?:bootstrap check failure )?\[1\](?: of \[\d{1,3}\])?: (?P<message>[^\n]++)")),
    # --- Redis
    MessageForm("redis", re.compile(r"\*\*\* FATAL CONFIG FILE ERROR(?: \(Redis [\d.]{1,20}\))? \*\*\*"), below=re.compile(r"(?!Reading the configuration file|>>> )(?P<message>[^\n]++)")),
    MessageForm("redis", re.compile(rf"{_REDIS}(?:Warning: )?(?P<message>(?:Could not|Couldn't|Cannot|Can't|Failed|Error|Fatal|Bad|Unable|Out Of Memory|Short read|Unrecoverable|Wrong|Background saving error|MASTER aborted|Internal error)\b[^\n]++)")),
    MessageForm("redis", re.compile(r"(?P<message>Could not connect to Redis at \S{1,300}: [^\n]++)")),
    # --- Erlang, RabbitMQ
    MessageForm("erlang", re.compile(r"Error in process <[\d.]{3,30}> (?:on node '?[\w.@-]{1,200}'? )?with exit value:[ \t]*$"), below=re.compile(rf"(?P<message>\{{{{1,4}}+(?P<type>{_EXIT})\b[^\n]*+)")),
    MessageForm("erlang", re.compile(r"exception (?:error|exit|throw): (?P<message>[^\n]++)")),
    MessageForm("erlang", re.compile(rf"init terminating in do_boot \((?P<message>\{{{{1,4}}(?P<type>{_EXIT})\b[^\n]{{0,4000}}\}})\)[ \t]*$")),
    MessageForm("erlang", re.compile(r"Kernel pid terminated \(\w{1,80}\) \((?P<message>[^\n]++)")),
    MessageForm("rabbitmq", re.compile(rf"(?:{_ERLANG}\[error\] <[\d.]{{3,30}}> )?(?P<message>BOOT FAILED)[ \t]*$"), Severity.SUMMARY),
    MessageForm("rabbitmq", re.compile(rf"(?:{_ERLANG}\[error\] <[\d.]{{3,30}}> )?Error (?:during startup|description): (?P<message>[^\n]++)")),
    MessageForm("rabbitmq", re.compile(rf"{_ERLANG}\[error\] <[\d.]{{3,30}}> (?P<message>(?!=+$)\S[^\n]*+)")),
    MessageForm("rabbitmq", re.compile(rf"{_ERLANG}\[warning\] <[\d.]{{3,30}}> (?P<message>\S[^\n]*+)"), Severity.WARNING),
    MessageForm("rabbitmq", re.compile(r"Error: (?P<message>unable to perform an operation on node [^\n]++)")),
    MessageForm("erlang", re.compile(rf"(?:\*\* )?(?P<message>\{{(?P<type>{_EXIT}),[^\n]++)")),
    # --- ZooKeeper, Kafka, Consul, Vault
    MessageForm("zookeeper", re.compile(r"(?P<message>Error contacting service\. It is probably not running\.)")),
    MessageForm("kafka", re.compile(r"Error while executing \w{1,30} command ?: (?P<message>[^\n]++)")),
    MessageForm("kafka", re.compile(r"(?:\[[\d ,:-]{10,30}\] )?(?:WARN(?:ING)? )?(?:\[\w{1,40} clientId=[^\]\n]{1,300}\] )?(?P<message>Connection to node -?\d{1,10} \([^)\n]{1,300}\) could not be established\.(?: [A-Z][^(\n]{1,200}\.)?)"), Severity.WARNING),
    MessageForm("vault", re.compile(r"(?:Error [^\n]{1,500}?: )?Error making API request\.[ \t]*$"), below=re.compile(r"\* (?P<message>[^\n]++)")),
    MessageForm("consul", re.compile(r"Error [a-z][\w ]{2,60}: (?P<message>Unexpected response code: \d{3}[^\n]*+)")),
    # --- java
    MessageForm("java", re.compile(r"Error: (?P<message>(?:Could not create the Java Virtual Machine|A fatal exception has occurred\. Program will exit)\.)"), Severity.SUMMARY),
    MessageForm("java", re.compile(r"Error: \w{5,40}Error occurred while loading main class "), below=re.compile(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,8}[A-Z][\w$]{2,80}): (?P<message>[^\n]++)")),
    MessageForm("java", re.compile(r"Error: (?P<message>(?:Could not find or load main class |Unable to (?:access|initialize) |Invalid or corrupt jarfile |Main method |A JNI error has occurred|JavaFX runtime components are missing|An unexpected error occurred while trying to open file )[^\n]*+)")),
    MessageForm("java", re.compile(r"Error occurred during initialization of (?:VM|boot layer)[ \t]*$"), below=re.compile(r"(?P<message>[^\n]++)")),
    MessageForm("java", re.compile(r"(?P<message>(?:Unrecognized VM option '|Unrecognized option: |Invalid (?:maximum|initial) heap size: |Improperly specified VM option |Conflicting collector combinations )[^\n]++)")),
    MessageForm("java", re.compile(r"(?:Java HotSpot|OpenJDK)[\w() -]{1,40} warning: (?P<message>[^\n]++)"), Severity.WARNING),
    MessageForm("java", re.compile(r"ERROR: (?P<message>(?:transport error \d{1,4}: |JDWP )[^\n]++)")),
    MessageForm("java", re.compile(r"(?P<message>JDWP exit error \w{1,60}\(\d{1,4}\): [^\n]++)"), Severity.SUMMARY),
    # --- python, node
    MessageForm("python", re.compile(r"(?:[^\s:]{0,300}/)?(?:python|pypy)[\d.]{0,6}(?:\.exe)?: (?P<message>(?:can't open file |No module named |can't find |Error while finding module )[^\n]++)")),
    MessageForm("python", re.compile(r"(?P<message>Unknown option: --?\w[\w-]{0,60})[ \t]*$")),
    MessageForm("node", re.compile(r"(?:[^\s:]{0,300}/)?node(?:\.exe)?: (?P<message>(?:bad option: |\S{1,120} (?:requires an argument|is not allowed in NODE_OPTIONS))[^\n]*+)")),
    # --- Spark, YARN, Hadoop
    MessageForm("spark", re.compile(r"(?P<type>ExecutorLostFailure) \([^)\n]{1,200}\) Reason: (?P<message>[^\n]++)")),
    MessageForm("spark", re.compile(r"Error: (?P<message>(?:Failed to load class |Unrecognized option: |Missing application resource|Cannot load main class from JAR |No main class set in JAR )[^\n]*+)")),
    MessageForm("spark", re.compile(r"(?P<message>Could not find valid SPARK_HOME while searching [^\n]++)")),
    MessageForm("yarn", re.compile(r"(?P<message>Container (?:killed by YARN for |\[pid=\d{1,10},containerID=\w{1,80}\] is running )[^\n]++)")),
    MessageForm("yarn", re.compile(r"Exit status: -?\d{1,5}\. Diagnostics: (?P<message>[^\n]++)")),
    MessageForm("yarn", re.compile(r"(?P<message>Application application_\d{1,20}_\d{1,10} failed \d{1,4} times due to [^\n]++)")),
    MessageForm("yarn", re.compile(r"(?:[ \t]*diagnostics|Diagnostics): (?P<message>(?:User class threw exception: |Container |Exception |Failing |Application |AM Container |Task )[^\n]++)")),
    MessageForm("yarn", re.compile(r"(?P<message>Container exited with a non-zero exit code \d{1,5})"), Severity.SUMMARY),
    MessageForm("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Permission denied: user=\S{1,100}, access=\w{1,30}, inode=[^\n]++)")),
    MessageForm("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Call From \S{1,300} to \S{1,300} failed on [^\n]++)")),
    MessageForm("hadoop", re.compile(r"(?:[a-z]\w{1,20}: )?(?P<message>Cannot [^\n]{1,400}?\. Name node is in safe mode\.)")),
    # --- Flink, Airflow
    MessageForm("flink", re.compile(r"The program finished with the following exception:[ \t]*$"), below=re.compile(r"(?P<type>(?:[a-z][\w$]{0,60}\.){1,12}[A-Z][\w$]{2,80})(?:: (?P<message>[^\n]++))?")),
    MessageForm("airflow", re.compile(r"Broken (?:DAG|plugin): \[[^\]\n]{1,500}\] (?!Traceback)(?P<message>[^\n]++)")),
    MessageForm("airflow", re.compile(r"(?P<message>Task exited with return code (?!0\b)-?\d{1,5})"), Severity.SUMMARY),
    # --- CUDA, NCCL; RuntimeError and OutOfMemoryError of PyTorch are the runtime python's
    MessageForm("cuda", re.compile(r"(?:RuntimeError: )?(?P<type>CUDA error): (?P<message>[^\n]++)")),
    MessageForm("cuda", re.compile(r"(?:RuntimeError: )?(?:cuDNN|CUDA|CUBLAS|cuBLAS) error: (?P<type>(?:CUDNN|CUBLAS|CUFFT|CUSOLVER|CUSPARSE|CURAND)_STATUS_[A-Z_]{3,60})(?: (?P<message>when calling [^\n]++))?")),
    MessageForm("nvidia", re.compile(r"(?P<message>NVIDIA-SMI has failed because [^\n]++|Failed to initialize NVML: [^\n]++|No devices were found[ \t]*$)")),
    MessageForm("nccl", re.compile(r"(?:[\w.-]{1,253}:\d{1,10}:\d{1,10} \[\d{1,4}\] )?(?:[\w/.-]{1,120}:\d{1,6} )?NCCL WARN (?P<message>[^\n]++)")),
    MessageForm("nccl", re.compile(r"(?P<type>nccl(?:System|Internal|UnhandledCuda|InvalidArgument|InvalidUsage|Remote)Error): (?P<message>[^\n]++)")),
    MessageForm("nccl", re.compile(r"(?:RuntimeError: )?(?P<message>NCCL error in: [^\n]++)"), Severity.SUMMARY),
)  # fmt: skip
