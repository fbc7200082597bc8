"""How compilers and package managers print an error."""

from kb.patterns import lazy
from kb.trace.messages.form import MessageForm, Severity

# The shapes are those of the tools' own documentation: GNU Coding Standards, 4.4 "Formatting Error Messages" (``file:line:column: error: …``,
# ``program: error: …``), MSBuild's canonical errors (``origin : error CODE: text``), rustc's ``error[CODE]: …``.

_PLACE = r"(?:[A-Za-z]:[\\/][^:\n]{1,400}|:?[^\s:]{1,400}):\d{1,7}(?::\d{1,5})?(?:[-.]\d{1,7}(?:[.:]\d{1,5})?)?: "
"""``src/main.c:5:20: ``, ``C:\\src\\Main.java:5: ``"""

_ANY_PLACE = (
    r"(?:\"[^\"\n]{1,300}\",? ?(?:line )?\d{1,7}(?::\d{1,5})?"
    r"|(?:\d{1,3}>)?(?:[A-Za-z]:)?[^\s:\"'(*][^:\"\n(]{0,300}? ?\(\d{1,7}(?:[,.:]\d{1,5})?(?:-\d{1,7}(?:,\d{1,5})?)?\)"
    r"|(?:[A-Za-z]:)?[^\s:\"'(*]{1,300}\.\w{1,8}:\d{1,7}(?::\d{1,5})?)"
)
"""``"till.c", line 5``, ``C:\\src\\till.c(17)``, ``till.xml:5``: how compilers write a place that do not follow the GNU Coding Standards."""
# e.g. ` : Fatal Error[Pe1696]: `
_ERROR_AT = (
    r" ?:? {0,3}(?:\[error\] |(?:(?:[Ff]atal|[Cc]atastrophic|[Ii]nternal|parser|[Ss]yntax|validity|namespace|assembler|[Ll]inker) )?(?:[Ee]rror|ERROR)"
    r"(?: ?(?:\[?(?P<type>[A-Za-z]{1,6}\d{2,5})\]?|[(\[]\w{1,12}[:-]?\d{1,6}[)\]]|#\d{1,6}(?:-[A-Z])?))? ?:[ \t]{0,3}(?:#\d{1,6}(?:-[A-Z])?: )?)"
)
"""What is between the place and the message: ``: error (dcc:1378): ``, ``: error:  #18: ``, ``: parser error : ``, ``: [error] ``."""

_MESSAGE = r"(?P<message>\S.*)"

COMPILERS: tuple[MessageForm, ...] = (
    # ld: `undef.c:(.text+0xf): undefined reference to `open_store'`, `/usr/bin/ld: a.o: undefined reference to symbol 'x'`
    MessageForm(
        "ld",
        lazy(
            r"(?:[^\s:]{0,200}\bld(?:\.\w{1,10})?: )?(?:[^\s:]{1,300}:){0,3}(?:\(\.[^()\n]{1,200}\):)?[ ]?"
            r"(?P<message>(?:undefined reference to|multiple definition of|relocation truncated to fit:|relocation R_\w{1,40} against|unresolvable \S{1,60} relocation) \S.*)"
        ),
    ),
    MessageForm("ld", lazy(r"ld: (?P<message>symbol\(s\) not found for architecture \S.*)"), Severity.SUMMARY),
    MessageForm("ld", lazy(r"Undefined symbols for architecture [\w-]{1,20}:"), below=lazy(r"(?P<message>\"\S.*)")),
    # `/usr/bin/ld: cannot find -lcryptopp`, `ld: framework not found Billing`
    MessageForm(
        "ld",
        lazy(
            r"(?:[^\s:]{0,200}[/-])?ld(?:\.(?:bfd|gold))?: (?:error: |fatal error: )?"
            r"(?P<message>(?:cannot (?:find|open)|framework not found|library not found for|library '|[^\s:]{1,300}: (?:file not recognized|undefined|in function `[^']{1,200}': undefined)|final link failed|unrecognized|file not found|invalid) ?\S.*)"
        ),
    ),
    MessageForm(
        "gcc", lazy(r"collect2: (?:fatal )?error: (?P<message>ld (?:returned|terminated) .*)"), Severity.SUMMARY
    ),
    # clang, swiftc: `clang: error: linker command failed with exit code 1`
    MessageForm(
        "clang",
        lazy(
            r"[\w./+-]{1,200}: (?:fatal )?error: (?P<message>(?:linker|link|unable to execute|clang frontend|swift-frontend)[\w ]{0,60} command failed .*)"
        ),
        Severity.SUMMARY,
    ),
    # rustc quotes the linker in a note: `= note: rust-lld: error: undefined symbol: x`
    MessageForm(
        "lld",
        lazy(r"(?:= note: )?(?:ld\.lld|ld64\.lld|rust-lld|lld-link|wasm-ld|mold): (?:fatal )?error: " + _MESSAGE),
    ),
    # flake8, ruff, pylint: `till.py:14:9: F821 undefined name 'pay'`; ghc has the message below `Till.hs:14:9: error:`, before 8.0 `Till.hs:14:9:`
    MessageForm("lint", lazy(_PLACE + r"(?P<type>[A-Z]{1,4}\d{3,4}):? (?P<message>[A-Za-z'\"`][^\n]{3,})")),
    MessageForm(
        "ghc",
        lazy(r"[^\s:]{1,400}\.l?hs:\d{1,7}:\d{1,5}(?:-\d{1,5})?:(?: error:(?: \[GHC-\d{5}\])?)?[ \t]*$"),
        below=lazy(r"(?:[•*] )?(?P<message>\S.*)"),
    ),
    # dart before the next: `lib/main.dart:10:15: Error: The getter 'total' isn't defined`
    MessageForm("dart", lazy(r"[^\s:]{1,400}\.dart:\d{1,7}:\d{1,5}: Error: " + _MESSAGE)),
    # gcc, clang, javac, scalac, swiftc, and what prints like them: `main.c:5:20: error: …`, `config.h:1:10: fatal error: …`
    MessageForm("compiler", lazy(_PLACE + r"(?:fatal |internal compiler )?error: " + _MESSAGE)),
    MessageForm("compiler", lazy(_PLACE + r"warning: " + _MESSAGE), Severity.WARNING),
    # meson, bazel's Starlark: `meson.build:2:0: ERROR: Dependency "x" not found`
    MessageForm("meson", lazy(r"[^\s:]{0,400}\bmeson\.(?:build|options):\d{1,7}:\d{1,5}: ERROR: " + _MESSAGE)),
    # kotlinc under Gradle: `e: file:///src/Main.kt:12:5 Unresolved reference: x`, before 1.8 `e: C:\src\Main.kt: (51, 62): Unresolved…`
    MessageForm(
        "kotlinc",
        lazy(r"e: (?:file://)?[^\n]{1,400}?\.kts?:(?:\d{1,7}:\d{1,5}:? | \(\d{1,7}, \d{1,5}\): )" + _MESSAGE),
    ),
    # IntelliJ's console: `Error:(3, 32) java: 程序包a.b不存在`
    MessageForm(
        "javac", lazy(r"(?:Error|错误):\(\d{1,7}, ?\d{1,5}\) (?:java|[Kk]otlin|scala[a-z]?|Groovyc): " + _MESSAGE)
    ),
    MessageForm(
        "kotlinc",
        lazy(r"w: (?:file://)?[^\n]{1,400}?\.kts?:(?:\d{1,7}:\d{1,5}:? | \(\d{1,7}, \d{1,5}\): )" + _MESSAGE),
        Severity.WARNING,
    ),
    # MSBuild's canonical form: csc, cl, link, NuGet, and tsc without colours. `Program.cs(12,23): error CS1061: … [Shop.csproj]`, `x.obj : error LNK2019: …`
    MessageForm(
        "msbuild",
        lazy(
            r"(?:\d{1,3}>)?(?:[^\s:][^\n]{0,400}? ?: )?(?:fatal )?error (?P<type>MSB3073|MSB3721|MSB4018|LNK1120|CS5001X): (?P<message>(?:[^\[\n]|\[(?![^\[\]\n]{1,200}(?:proj|sln)\]))++)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "msbuild",
        lazy(
            r"(?:\d{1,3}>)?(?:(?:[A-Za-z]:)?[^\s:][^:\n]{0,400}?[ ]?: |[^\s:]{1,400}:\d{1,7}:\d{1,5} - )?(?:fatal )?error (?P<type>[A-Z]{1,10}\d{2,5}) ?: "
            r"(?P<message>(?:[^\[\n]|\[(?![^\[\]\n]{1,200}(?:proj|sln)\]))++)"
        ),
    ),
    # the error list of Visual Studio, copied: columns with tabs between
    MessageForm("msbuild", lazy(r"Error\s(?P<type>(?:LNK|CS|BC|MSB|NU|FS|C)\d{3,5})\s(?P<message>[^\s][^\t\n]*)")),
    MessageForm("msbuild", lazy(r"Build (?P<message>FAILED\.)$"), Severity.SUMMARY),
    MessageForm("nvcc", lazy(r"nvcc (?:fatal|error) {0,4}: " + _MESSAGE)),
    MessageForm(
        "xcodebuild",
        lazy(
            r"(?:❌ {1,3})?(?:[^\s:]{1,400}: )?error: (?P<message>[^\n]{3,2000}?) \(in target '[^'\n]{1,200}' from project '[^'\n]{1,200}'\)$"
        ),
    ),
    # xcpretty marks errors, Flutter names Xcode
    MessageForm(
        "xcodebuild",
        lazy(r"(?:❌ {1,3}(?:[^\s:]{1,400}:\d{1,7}:\d{1,5}: )?(?:error: )?|Error \(Xcode\): )" + _MESSAGE),
    ),
    # rustc and cargo
    # cargo's chain of causes: `error: failed to parse manifest at `…``, `Caused by:`, the reason
    MessageForm(
        "cargo",
        lazy(
            r"error: failed to (?:parse (?:manifest|lock file) at|load (?:manifest|source) for|get `[^`]{1,200}` as a dependency|read `|determine package fingerprint)"
        ),
        below=lazy(
            r"(?!Caused by:|failed to (?:parse manifest|load source|get `|load manifest)|Unable to update |\.\.\.)(?P<message>\S.*)"
        ),
    ),
    MessageForm(
        "cargo",
        lazy(
            r"(?:error|warning): (?P<message>could not compile `.*|aborting due to .*|process didn't exit successfully: .*|test failed, to rerun .*|\d{1,5} jobs? failed.*"
            r"|linking with `[^`]{1,200}` failed: .*|failed to run custom build command for .*|build failed.*|failed to compile `.*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm("rustc", lazy(r"error\[(?P<type>E\d{4})\]: " + _MESSAGE)),
    MessageForm("rustc", lazy(r"warning(?:\[\w{1,40}\])?: " + _MESSAGE), Severity.WARNING),
    # go build and vet: `./main.go:5:2: imported and not used: "os"`; a log line of Go has no column
    MessageForm("go", lazy(r"(?:vet: )?[^\s:]{1,400}\.go:\d{1,7}:\d{1,5}: " + _MESSAGE)),
    MessageForm("erlc", lazy(r"[\w./-]{1,300}\.(?:erl|yrl|hrl|xrl):\d{1,7}(?::\d{1,5})?: (?!Warning: )" + _MESSAGE)),
    MessageForm("go", lazy(r"\w{1,200}_test\.go:\d{1,7}: " + _MESSAGE)),
    MessageForm("go", lazy(r"(?P<message>--- FAIL: \S.*|FAIL\t\S.*)"), Severity.SUMMARY),
    MessageForm(
        "go",
        lazy(
            r"go: (?!downloading |finding |found |extracting |creating |added |upgraded |downgraded |removed |to add |warning)(?P<message>\S+ ?\S.*)"
        ),
    ),
    # go mod tidy: `github.com/spf13/cobra: module github.com/spf13/cobra: Get "http://…": dial tcp …`
    MessageForm(
        "go",
        lazy(
            r"(?:[\w./@~-]{1,300}: )?(?P<message>(?:module [\w./@~-]{1,300}: (?:Get \"|reading |git )|cannot find (?:module providing )?package |no required module provides package )\S.*)"
        ),
    ),
    MessageForm(
        "go",
        lazy(r"build [\w./@~-]{1,300}: (?P<message>(?:cannot|no|malformed|invalid|ambiguous|unknown|missing) \S.*)"),
    ),
    MessageForm("go", lazy(r"(?P<message>package [\w./-]{1,300} is not in (?:GOROOT|std)\b.*)")),
    # GCC in Chinese: `pay.c:3:10: 致命错误：shop.h：没有那个文件或目录`, `gcc: 致命错误：没有输入文件`; warnings are `警告：`
    MessageForm(
        "gcc", lazy(r"(?:[^\s:]{1,300}:\d{1,7}:(?:\d{1,5}:)?|[\w+.-]{1,60}:) ?(?:致命)?错误[:：] ?" + _MESSAGE)
    ),
    # IAR, Arm, Diab, Intel, CodeWarrior, xmllint, yamllint: what a place and a severity are before, `till.c(17) : Fatal Error[Pe1696]: …`
    MessageForm("compiler", lazy(_ANY_PLACE + _ERROR_AT + _MESSAGE)),
    # GNU Coding Standards, 4.4: `program: error: text`; xcrun, argparse, ninja, configure. configure repeats itself: `error: in `/src'`
    MessageForm(
        "cli",
        lazy(r"(?!(?:the|this|an|and|warning|remote)\b)[\w./+-]{1,200}: (?:fatal )?error: (?!in `)" + _MESSAGE),
    ),
)
"""Tried in this order; the first form that fits a line decides what the line is."""


_NPM = r"npm (?:ERR!|error) "
"""npm up to 9, npm from 10 on: every line of an error begins so."""
_LABEL = r"(?:notarget |404 {1,2}|ERESOLVE |JSON\.parse (?:Invalid package\.json: JSONParseError: )?|eno\w{1,10} |engine |notsup |enoself |Error: )?"
"""What npm puts behind it, the code once more in small letters."""
_GAP = "[\u2009\\s]{1,4}"  # pnpm prints a thin space beside its codes

_NODE = (
    # `npm ERR! code ETARGET`, the message below, behind `path`, `syscall` and `errno`
    MessageForm(
        "npm",
        lazy(r"npm (?:ERR!|error) (?P<message>This is probably not a problem with npm\b.*)"),
        Severity.WARNING,
    ),
    MessageForm(
        "npm",
        lazy(_NPM + r"code (?P<type>ELIFECYCLE)$"),
        Severity.SUMMARY,
        below=lazy(_NPM + r"(?!errno |path |Exit )(?P<message>\S.*)"),
    ),
    MessageForm(
        "npm", lazy(_NPM + r"code \d{1,3}$"), Severity.SUMMARY, below=lazy(_NPM + r"(?P<message>command \S.*)")
    ),
    MessageForm(
        "npm",
        lazy(_NPM + r"code (?P<type>[A-Z][A-Z0-9_]{2,40})$"),
        below=lazy(_NPM + r"(?!errno |path |dest |syscall |network This |cwd |command )" + _LABEL + _MESSAGE),
        says_all=True,
    ),
    # node-gyp, alone and under npm; `stack     at …` are frames
    MessageForm(
        "node-gyp",
        lazy(r"(?:" + _NPM + r")?gyp ERR! stack (?:Error: |(?P<type>[A-Z]\w{1,60}Error): )" + _MESSAGE),
    ),
    MessageForm(
        "node-gyp",
        lazy(r"(?:" + _NPM + r")?gyp ERR! (?P<message>(?:build|configure|rebuild|install|clean) error\b.*|not ok.*)"),
        Severity.SUMMARY,
    ),
    MessageForm(
        "npm",
        lazy(
            _NPM
            + r"(?P<message>Exit status \d.*|Lifecycle script .*|Failed at the .*|Test failed\..*|command (?:failed|sh |bash |C:).*)"
        ),
        Severity.SUMMARY,
    ),
    # npm 5 prints the error's fields: `npm ERR! code: 'EPERM',`
    MessageForm("npm", lazy(_NPM + r"code: '(?P<type>E[A-Z]{3,30})',?[ \t]*$"), Severity.SUMMARY),
    # a paste that begins behind the code
    MessageForm(
        "npm",
        lazy(
            _NPM
            + r"(?!code |errno |path |dest |syscall |cwd |argv |node |npm |node_modules/|command |System |gyp |make|sh: |at |\d|A complete log |This is probably |There is likely |To see a list |For a full report |If you are behind |Please "
            r"|Fix the upstream |this command |to accept |Found: |While resolving: |network In most |network '|network This |Usage|Options|Run )"
            + _LABEL
            + r"(?P<message>(?:[A-Z]\S*|cipm|`npm ci`|request to|peer dep missing:|missing:|extraneous:|invalid:) \S.*)"
        ),
    ),
    MessageForm(
        "npm", lazy(r"npm (?:WARN|warn) (?:deprecated |(?P<type>E[A-Z]{3,30}) )?" + _MESSAGE), Severity.WARNING
    ),
    # Yarn 1 prints `error ` before its sentences, src/reporters/lang/en.js
    MessageForm(
        "yarn", lazy(r"error (?P<message>Command failed with .*|Found incompatible module\.)"), Severity.SUMMARY
    ),
    MessageForm(
        "yarn",
        lazy(
            r"error (?P<message>(?:An unexpected error occurred: |Couldn't |Command \"|Your lockfile |Received |Outdated lockfile|Integrity check |Lockfile |Incorrect |Invalid |Missing |Package \"|Running this command |No "
            r"|\S{1,200}@[\w.^~-]{1,60}: The (?:engine|platform|CPU) |[\w./@-]{1,300}: Command failed|\"\S{1,200}\" is )\S?.*)"
        ),
    ),
    # Yarn from 2 on, "Error Codes" of its handbook. Left out: codes that only tell (YN0000, YN0013) or warn (YN0002, YN0060)
    MessageForm(
        "yarn",
        lazy(
            r"(?:➤ )?(?P<type>YN(?!00(?:00|0[2-8]|13|19|32|6[018]|69|76|86))\d{4}): {1,2}(?:[│├└┌] {1,3})?(?:Error: )?"
            + _MESSAGE
        ),
    ),
    # pnpm: ` ERR_PNPM_NO_LOCKFILE  Cannot install with "frozen-lockfile" …`
    MessageForm("pnpm", lazy(r"(?:\[?)(?P<type>ERR_PNPM_[A-Z0-9_]{1,60})\]?" + _GAP + _MESSAGE)),
    MessageForm(
        "pnpm",
        lazy(r"(?P<type>ELIFECYCLE)" + _GAP + r"(?P<message>(?:Command|Test) failed.*)"),
        Severity.SUMMARY,
    ),
)

_PYTHON = (
    MessageForm(
        "pip",
        lazy(
            r"(?:error|ERROR): (?P<message>subprocess-exited-with-error|metadata-generation-failed|legacy-install-failure|command '[^']{1,200}' failed with exit .*"
            r"|ResolutionImpossible: .*|Command errored out with exit status .*|Failed to build (?:installable wheels |'|[\w.-]{1,100}$).*|Failed building wheel for .*|Could not build wheels for .*"
            r"|pip's dependency resolver does not currently .*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "pip",
        lazy(
            r"(?:ERROR: )?(?P<message>[\w.-]{1,100} \d\S{0,60} (?:requires|has requirement) [^\n]{1,400}?, (?:but you(?:'ll)? have [^\n]{1,200}|which is not installed)[^\n]{0,40}+)"
        ),
    ),
    MessageForm("setuptools", lazy(r"error in [\w.-]{1,100} setup command: " + _MESSAGE)),
    # pubgrub's report, of uv, Poetry, Dart's pub and Bundler: `Because shop depends on … version solving failed.`
    MessageForm(
        "uv",
        lazy(r"(?:error: |× )No solution found when resolving .*"),
        below=lazy(r"(?:cause: |╰─▶ )(?P<message>\S.*)"),
    ),
    MessageForm(
        "pubgrub",
        lazy(
            r"(?P<message>(?:Because|So, because|And because|Since) [^\n]{1,2000}(?:version solving (?:has )?failed\.|requirements are unsatisfiable\.|cannot be used\.))"
        ),
    ),
    MessageForm(
        "poetry",
        lazy(
            r"(?P<message>(?:Poetry could not find a pyproject\.toml file|Current Python version \(|The current project's (?:supported )?Python requirement |The currently activated Python version |pyproject\.toml changed significantly since poetry\.lock ).*)"
        ),
    ),
    # numpy/_core/_internal.py prints it over several lines, which read like prose
    MessageForm("numpy", lazy(r"(?P<message>A module that was compiled using NumPy .*)"), runtime="python"),
    # conda names its exceptions, conda/exceptions.py; what it lacks is a list below
    MessageForm(
        "conda",
        lazy(r"(?P<type>PackagesNotFoundError|ResolvePackageNotFound|UnsatisfiableError): *$"),
        below=lazy(r"(?:- )?(?P<message>\S.*)"),
    ),
    MessageForm("conda", lazy(r"(?P<message>Solving environment: failed)\b.*"), Severity.SUMMARY),
    MessageForm(
        "conda",
        lazy(
            r"(?P<type>PackagesNotFoundError|ResolvePackageNotFound|(?:LibMamba)?UnsatisfiableError|SpecsConfigurationConflictError|UnavailableInvalidChannel|EnvironmentNotWritableError|NoWritable(?:Envs|Pkgs)DirError|EnvironmentLocationNotFound"
            r"|InvalidArchiveError|ChecksumMismatchError|NoBaseEnvironmentError|EnvironmentFileNotFound|Conda[A-Z]\w{1,40}Error): ?"
            + _MESSAGE
        ),
    ),
)

_APT_ZH = r"(?:无法|不能|没有|未|找不到|仓库|软件包|下列|下载|获取|读取|打开|等待|源列表|类型|内部错误|命令行|版本|必须|校验|签名|目录|文件|列表|动作|由于|在|不支持|不允许|忽略|执行|解析|安装)[^\n]*"
_SYSTEM = (
    # apt and dpkg, also in Chinese: `E: Unable to locate package x`, `E: 无法定位软件包 x`; held back by what it says of the dependencies above
    MessageForm("apt", lazy(r"(?P<message>[a-z0-9][\w.+-]{1,100}(?::\w{1,10})? : (?:(?:Pre)?Depends|预?依赖): .*)")),
    MessageForm(
        "apt",
        lazy(
            r"E: (?P<message>Sub-process \S.*|Unable to correct problems.*|Some index files failed .*|Unable to fetch some archives.*|Unmet dependencies\..*|Failed to fetch some archives.*|子进程 \S.*|无法修正错误.*|部分索引文件下载失败.*|有几个软件包无法下载.*|有未能满足的依赖关系.*)"
        ),
        Severity.SUMMARY,
    ),
    MessageForm(
        "apt", lazy(r"E: (?P<message>[A-Z][\w'-]* \S.*|\S{1,200}: \S.*|dpkg was interrupted.*|" + _APT_ZH + r")")
    ),
    MessageForm("apt", lazy(r"(?P<message>Err:\d{1,5} [a-z+]{2,20}:\S.*)"), Severity.SUMMARY),
    MessageForm("apt", lazy(r"W: (?P<message>[A-Z][\w'-]* \S.*|" + _APT_ZH + r")"), Severity.WARNING),
    MessageForm(
        "dpkg",
        lazy(r"dpkg(?:-[a-z]{1,20})?: (?:error:|错误[:：]|unrecoverable fatal error, aborting:) *(?P<message>\S.*)"),
    ),
    MessageForm("dpkg", lazy(r"dpkg: (?P<message>(?:error processing|dependency problems|处理软件包|依赖关系问题).*)")),
    # dnf, yum, zypper
    MessageForm(
        "dnf",
        lazy(
            r"(?P<message>(?:No match for argument: |No package \S{1,200} available\.|Error: Package: |Public key for \S{1,200} is not installed).*)"
        ),
    ),
    MessageForm("dnf", lazy(r"(?P<message>Errors during downloading metadata for repository .*)"), Severity.SUMMARY),
    MessageForm("dnf", lazy(r"Error: (?P<message>Unable to find a match: .*|Nothing to do)$"), Severity.SUMMARY),
    # what librepo and yum say of a mirror: `- Curl error (6): Couldn't resolve host name for …`
    MessageForm("dnf", lazy(r"(?:- )?(?P<type>Curl error \(\d{1,3}\)): " + _MESSAGE)),
    MessageForm("dnf", lazy(r"[^\s]{1,300}: (?P<type>\[Errno \d{1,3}\]) (?P<message>(?:curl#\d|HTTP Error ).*)")),
    MessageForm("dnf", lazy(r"(?P<message>Cannot find a valid baseurl for repo: .*)")),
    # apk-tools: `ERROR: unable to select packages:`, then `shop-utils (no such package):`
    MessageForm(
        "apk",
        lazy(r"ERROR: unable to select packages:"),
        below=lazy(r"(?P<message>[\w.+-]{1,200}(?: \([^()\n]{1,100}\)| [^\n:]{1,200})?)(?::|$)"),
    ),
)

_OTHERS = (
    MessageForm("gem", lazy(r"ERROR: {1,2}(?P<message>Error installing .*)"), Severity.SUMMARY),
    MessageForm(
        "gem",
        lazy(r"ERROR: {1,2}While executing gem \.\.\. \((?P<type>[\w:]{1,100})\)"),
        below=lazy(_MESSAGE),
    ),
    MessageForm(
        "bundler",
        lazy(
            r"(?P<message>(?:Could not (?:find (?:gem '|\S{1,200} in (?:any of the sources|locally installed gems|cached gems))|fetch specs from |locate Gemfile|reach host )|Bundler could not find compatible versions for gem |Your Ruby version is |The bundle currently has |Your bundle is locked to ).*)"
        ),
    ),
    MessageForm(
        "bundler",
        lazy(r"(?P<message>An error occurred while installing \S.* cannot continue\..*)"),
        Severity.SUMMARY,
    ),
    # Composer: a list of problems under a headline; its own exceptions as the Symfony console prints them
    MessageForm(
        "composer",
        lazy(r"(?P<message>Your requirements could not be resolved to an installable set of packages\.)"),
        Severity.SUMMARY,
    ),
    MessageForm(
        "composer",
        lazy(
            r"(?:- )?(?P<message>(?:Root composer\.json requires? |[\w.-]{1,100}/[\w.-]{1,100}(?:\[[^\]\n]{1,300}\])?(?: \S{1,60})? requires? )(?:[^-\n]|-(?!> satisfiable by))++)$"
        ),
    ),
    MessageForm("composer", lazy(r"(?P<message>Composer could not find a composer\.json file in .*)")),
    MessageForm("symfony", lazy(r"In [\w.]{1,100}\.php line \d{1,6}:$"), below=lazy(_MESSAGE)),
)

PACKAGE_MANAGERS: tuple[MessageForm, ...] = (*_NODE, *_PYTHON, *_SYSTEM, *_OTHERS)
"""Tried in this order; the first form that fits a line decides what the line is."""
