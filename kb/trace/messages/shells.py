"""How shells, Unix tools, version control, containers and deployment tools print an error; and tools of whom nothing more is known."""

from kb.patterns import lazy
from kb.trace.messages.form import MessageForm, Severity

_MESSAGE = r"(?P<message>\S.*)"
_ERRNO = (
    r"(?:No such file or directory|Permission denied|Operation not permitted|Operation not supported|Is a directory|Not a directory|Directory not empty|File exists|Device or resource busy|No space left on device|Read-only file system"
    r"|Input/output error|Bad file descriptor|Broken pipe|Argument list too long|Exec format error|Text file busy|Too many open files(?: in system)?|Too many levels of symbolic links|File name too long|Disk quota exceeded|Invalid argument"
    r"|Cannot allocate memory|Resource temporarily unavailable|Invalid cross-device link|Connection refused|Connection timed out|Connection reset(?: by peer)?|No route to host|Network is unreachable|Host is down|Address already in use"
    r"|Stale file handle|Transport endpoint is not connected|Protocol error|Name or service not known|Temporary failure in name resolution|Function not implemented|Value too large for defined data type|cannot execute binary file|cannot overwrite existing file"
    r"|not in gzip format|Cannot open|unexpected end of file)"
)
"""What strerror(3) and gai_strerror(3) of glibc say: a line `program: …: No such file or directory` is no prose."""
_PROSE = r"(?!(?:I|I'm|I've|We|we|My|my|Our|our|It|it|It's|What|what|How|how|Why|why|When|when|After|after|Does|does|Is|is|Please|please|Can|Any|any|Hi|Hello)\b)"
"""`Error: I get this when I …` is a person."""

_OF_WINDOWS = r"[A-Z]\w{2,80} failed with (?:[Ee]rror(?: code)?|HRESULT|hr)[ :=]{1,3}(?P<type>0x[0-9a-fA-F]{8})\.?$"

_SHELLS = (
    # bash, dash, ksh: `deploy.sh: line 3: cd: /srv/shop: No such file or directory`, `sh: 1: ng: not found`; who died of a signal comes with its pid
    MessageForm(
        "sh",
        lazy(
            r"(?:[^\s:]{1,200}: line \d{1,7}: {1,3})?\d{1,9} (?P<message>(?:Segmentation fault|Killed|Aborted|Bus error|Illegal instruction|Terminated|Floating point exception)(?: {2,200}\S.*| {1,200}\(core dumped\).*)?)$"
        ),
    ),
    MessageForm(
        "sh",
        lazy(r"(?!(?:Error|Warning|error|warning|Note|note):)[^\s:]{1,200}: line \d{1,7}: (?:warning: )?" + _MESSAGE),
    ),
    MessageForm(
        "sh",
        lazy(
            r"(?:[^\s:]{0,200}/)?(?:-?(?:ba|da|a|z|k)?sh|[^\s:]{1,200}\.(?:ba|z|k)?sh|busybox): (?:\d{1,7}: )?(?:eval: )?(?P<message>[^\n]{1,500}: (?:command not found|not found|"
            + _ERRNO
            + r")|command not found: .*|no such file or directory: .*|permission denied: .*|parse error .*|Syntax error: .*|syntax error.*|Bad substitution.*)"
        ),
    ),
    MessageForm(
        "sh",
        lazy(
            r"(?P<message>(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Floating point exception)(?: \(core dumped\))?|Killed)$"
        ),
    ),
    MessageForm("sudo", lazy(r"(?P<message>sudo: \S.*|\w{1,40} is not in the sudoers file\..*)")),
    # cmd.exe and PowerShell
    MessageForm("cmd", lazy(r"(?P<message>'[^'\n]{1,200}' is not recognized as an internal or external command,?.*)")),
    MessageForm("cmd", lazy(r"(?P<message>['‘\"][^'’\"\n]{1,200}['’\"] ?不是内部或外部命令.*)")),
    # what Rust says of a value that was unwrapped, where the line with its place is cut off
    MessageForm(
        "rust",
        lazy(r"(?P<message>called `(?:Result|Option)::\w{1,20}\(\)` on an? `(?:Err|Ok|None)` value\b[^\n]*)"),
        type="panic",
        runtime="rust",
    ),
    # a function of Windows; why is a line below, in the user's language, and often lost to a wrong encoding
    MessageForm(
        "windows",
        lazy(_OF_WINDOWS),
        below=lazy(r"Error: 0x[0-9a-fA-F]{8}:? (?P<message>(?!https?:)(?:(?!\?\?)[^\n]){4,2000}+)$"),
    ),
    MessageForm("windows", lazy(rf"(?P<message>{_OF_WINDOWS})")),
    # the loader's boxes of Windows
    MessageForm(
        "windows",
        lazy(
            r"(?:[^\n]{0,80}?[:：“\"])?(?P<message>(?:由于找不到 ?\S{1,200}\.dll|无法启动此程序，因为计算机中丢失|The code execution cannot proceed because \S{1,200} was not found|The program can't start because \S{1,200} is missing)[^\n”\"]*+)"
        ),
    ),
    # a box of Visual Basic; Unreal, whose place is before the words
    MessageForm(
        "vba", lazy(r"Run-time error '(?P<type>-?\d{1,10})(?: \([\da-f]{8}\))?':?[ \t]*$"), below=lazy(_MESSAGE)
    ),
    # an exception's fields as Visual Studio copies them: `  Message=Cannot open the file`, below the class
    MessageForm("visual-studio", lazy(r"Message=(?P<message>(?![a-z\d\"'{\[(])\S{1,200} \S.*)"), runtime="dotnet"),
    MessageForm("unreal", lazy(r"Fatal error: \[File:[^\]\n]{1,400}\] \[Line: \d{1,7}\][ \t]*$"), below=lazy(_MESSAGE)),
    MessageForm(
        "powershell",
        lazy(
            r"[\w.\\/:-]{1,200} ?: (?P<message>(?:The term '[^'\n]{1,200}' is not recognized as |File \S.{0,300} cannot be loaded because |Cannot bind |Cannot find (?:path|drive) |Access to the path ).*)"
        ),
    ),
    # the loaders: ld.so(8) of glibc, and musl's
    MessageForm(
        "ld.so",
        lazy(r"[^\s:]{1,300}: (?P<message>error while loading shared libraries: .*|symbol lookup error: .*)"),
    ),
    MessageForm(
        "ld.so",
        lazy(r"(?:[^\s:]{1,300}: )?(?P<message>Error (?:loading shared library \S{1,300}: |relocating \S{1,300}: ).*)"),
    ),
    MessageForm(
        "ld.so",
        lazy(r"[^\s:]{1,300}: (?P<message>\S{1,300}: version `[^'\n]{1,100}' not found \(required by .*)"),
    ),
)

_TOOLS = (
    MessageForm(
        "tar",
        lazy(
            r"tar(?: \(child\))?: (?P<message>Child returned status .*|Error is not recoverable: .*|Exiting with failure status .*|Error exit delayed .*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "iptables",
        lazy(
            r"(?:ip6?tables|ebtables|arptables)(?:-restore|-save)? v[\d.]{3,12}(?: \(\w{2,12}\))?: (?:ip6?tables(?:-restore|-save)?: )?"
            + _MESSAGE
        ),
    ),
    MessageForm(
        "iptables",
        lazy(
            r"(?:error Command error output: )?(?:xtables parameter problem: )?(?:ip6?tables|ebtables|arptables)(?:-restore|-save): (?=unable |line |invalid |unknown |Bad )"
            + _MESSAGE
        ),
    ),
    MessageForm("iptables", lazy(r"(?P<message>Error occurred at line: \d{1,6})[ \t]*$"), Severity.SUMMARY),
    MessageForm("patch", lazy(r"(?P<message>patch: \*\*\*\* .*|Hunk #\d{1,5} FAILED at .*)")),
    MessageForm(
        "unzip",
        lazy(r"(?P<message>End-of-central-directory signature not found\..*|unzip: {1,2}cannot find .*|caution: .*)"),
    ),
    # coreutils and all that print by error(3): `cp: cannot stat 'x': No such file or directory`. The name stays: without it nobody knows who printed it
    MessageForm(
        "unix",
        lazy(
            r"(?P<message>[a-z][a-z\d_+-]{0,30}(?:\.[a-z\d]{1,10})?(?: \(child\))?: (?:[^\n]{1,600}[:,] )?"
            + _ERRNO
            + r"(?: \(\d{1,3}\))?)$"
        ),
    ),
    MessageForm(
        "unix",
        lazy(
            r"(?P<message>(?:cp|mv|rm|ln|ls|cat|dd|df|du|chmod|chown|chgrp|mkdir|rmdir|touch|stat|tail|head|install|find|grep|sed|awk|gawk|sort|cut|split|xargs|env|mount|umount|useradd|groupadd|usermod|id|su|kill|date|tee|readlink|realpath|truncate|mktemp|md5sum|sha\d{1,3}sum|gzip|gunzip|bzip2|xz|zstd): (?:cannot |failed |invalid |unrecognized |unknown |missing |extra |error |unable |too |-e expression |WARNING: |warning: |option |user |group |can't |no |bad )\S.*)"
        ),
    ),
)

_VCS = (
    MessageForm(
        "git",
        lazy(
            r"(?P<message>(?:error: failed to push some refs to |error: could not apply |Automatic merge failed; |fatal: Could not read from remote repository|error: Pull is not possible because ).*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm("git", lazy(r"(?P<type>CONFLICT \([\w/ ]{1,40}\)): " + _MESSAGE)),
    MessageForm("git", lazy(r"(?:! )?(?P<message>\[(?:remote )?rejected\] .*)")),
    MessageForm("git", lazy(r"remote: (?:error|fatal|ERROR|FATAL): " + _MESSAGE)),
    MessageForm(
        "git",
        lazy(
            r"remote: (?P<message>(?:Support for password authentication was removed|Permission to \S{1,200} denied|Repository not found|Invalid username or |HTTP Basic: Access denied|You are not allowed to |Write access to repository not granted|GitLab: |The project you were looking for ).*)"
        ),
    ),
    MessageForm("svn", lazy(r"svn: (?P<type>E\d{6}): " + _MESSAGE)),
    MessageForm("svn", lazy(r"svn: warning: (?:(?P<type>W\d{6}): )?" + _MESSAGE), Severity.WARNING),
    MessageForm("hg", lazy(r"abort: " + _PROSE + _MESSAGE)),
)

_CONTAINERS = (
    # Compose and pip's box: `web_1 exited with code 1`, `exit code: 1`
    MessageForm(
        "docker",
        lazy(
            r"(?P<message>(?:[\w.-]{1,100} exited with code \d{1,5}(?: \(restarting\))?|exit (?:code|status):? \d{1,5}))[ \t]*$"
        ),
        Severity.SUMMARY,
    ),
    # BuildKit: a RUN that failed is only the place, its own lines tell why. `ERROR: failed to solve: process "/bin/sh -c …" did not complete …`
    MessageForm(
        "docker",
        lazy(
            r"(?:#\d{1,4} )?(?:ERROR: |error: |target [\w.-]{1,100}: )?(?P<message>(?:failed to (?:solve|build): ){0,2}(?:rpc error: code = \w{1,20} desc = )?(?:process \"[^\n]{1,2000}\" did not complete successfully: |executor failed running ).*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "docker",
        lazy(r"(?P<message>(?:executor failed running \[|The command '[^\n]{1,2000}' returned a non-zero code: ).*)"),
        Severity.SUMMARY,
    ),
    MessageForm(
        "docker",
        lazy(
            r"(?:#\d{1,4} )?(?:ERROR: |error: |target [\w.-]{1,100}: )?(?P<message>failed to (?:solve|build)(?: with frontend [\w.]{1,40})?: \S.*)"
        ),
    ),
    MessageForm("docker", lazy(r"ERROR: The Compose file '[^'\n]{1,300}' is invalid because:"), below=lazy(_MESSAGE)),
    MessageForm("docker", lazy(r"#\d{1,4} ERROR: " + _MESSAGE)),
    # `docker start`, `stop`, `kill` name at the end what they failed for, and not why
    MessageForm(
        "docker", lazy(r"Error: (?P<message>failed to (?:start|stop|kill|restart) containers: .*)"), Severity.SUMMARY
    ),
    MessageForm("docker", lazy(r"ERROR: for [\w.-]{1,100} {1,3}" + _MESSAGE)),  # Compose, one service of several
    MessageForm(
        "docker",
        lazy(
            r"(?:docker: |ERROR: |error: )?(?P<message>(?:Cannot connect to the Docker daemon at |Couldn't connect to Docker daemon at |error during connect: |(?:Got )?permission denied while trying to connect to the Docker |unable to prepare context: |(?:COPY|ADD) failed: |OCI runtime (?:create|exec) failed: |pull access denied for |manifest for \S{1,300} not found|no configuration file provided: not found|service \"[^\"]{1,100}\" (?:refers to undefined |depends on undefined )|validating \S{1,300}: |env file \S{1,300} not found|standard_init_linux\.go:\d{1,5}: |yaml: line \d)\S?.*)"
        ),
    ),
    MessageForm(
        "docker",
        lazy(
            r"docker: (?P<message>(?:unknown command: |'[\w -]{1,60}' is not a docker command|invalid reference format|unknown flag: |no matching manifest for ).*)"
        ),
    ),
    MessageForm(
        "runc",
        lazy(
            r"(?P<message>exec (?:container process )?[`'\"]?[\w./-]{1,300}[`'\"]?: (?:[Ee]xec format error|[Nn]o such file or directory|[Pp]ermission denied))$"
        ),
    ),
)

_DEPLOY = (
    # Ansible: `fatal: [web1]: FAILED! => {"msg": "…"}`; callbacks that print it over several lines have msg below
    MessageForm(
        "ansible",
        lazy(
            r"(?:fatal: \[[^\]\n]{1,200}\]: |failed: \[[^\]\n]{1,200}\] [^\n]{0,200}?|[\w.-]{1,200} \| )(?:FAILED!|(?P<type>UNREACHABLE)!) => (?:[^\"\n]|\"(?!msg\": \"))*+\"msg\": \"(?P<message>(?:[^\"\\\n]|\\[^n\n])++)"
        ),
    ),
    MessageForm(
        "ansible",
        lazy(
            r"(?:fatal: \[[^\]\n]{1,200}\]: |[\w.-]{1,200} \| )(?:FAILED!|(?P<type>UNREACHABLE)!) => (?:\{|\w{1,40}=\w{1,10})\s*$"
        ),
        below=lazy(r"\"?msg\"?: [\"']?(?P<message>[^\"'\s|>](?:[^\"'\\\n]|'(?!$)|\\[^n\n])++)"),
    ),
    MessageForm("ansible", lazy(r"(?:ERROR! |\[ERROR\]: )" + _MESSAGE)),
)

_GENERAL = (
    MessageForm("cli", lazy(r"fatal: " + _PROSE + _MESSAGE)),
    # cargo, uv, javac, git: `error: text`; cobra, Homebrew, Terraform (in a box before 2021 without): `Error: Text`; pip, gem, Bazel: `ERROR: text`
    MessageForm(
        "cli",
        lazy(
            r"(?:[│|╷] {0,2})?(?:error|Error|ERROR): {1,2}(?:Error: )?" + _PROSE + r"(?P<message>[^\s{}\[(:][^\n]{4,})"
        ),
    ),
)

SHELLS: tuple[MessageForm, ...] = (*_SHELLS, *_TOOLS, *_VCS, *_CONTAINERS, *_DEPLOY)
"""Tried in this order; the first form that fits a line decides what the line is."""
GENERAL: tuple[MessageForm, ...] = _GENERAL
"""What remains when no other form fits."""
