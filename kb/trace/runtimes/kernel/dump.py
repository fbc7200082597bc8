"""What stands in a report of the kernel beside its stack: registers, modules, locks; and the stacks of others."""

import re

KNOWN = re.compile(
    r"[ \t]*(?:CPU: ?\d|PID: |Comm: |Hardware name|Modules linked in|Code: |Oops|#PF: |PGD |Tainted|Not tainted|\"echo 0 |task:|Workqueue: |R[A-Z0-9]{1,2}: |[ER]?(?:FLAGS|SP|AX|BX)|"
    r"x\d{1,2} ?: |[FGDEC]S: |CR\d: |DR\d: |PKRU: |pstate: |sp : |lr : |pc : |ra : |LR |MSR: |CFAR: |GPR\d\d|NIP|r\d{1,2} ?: |\[[<0-9a-f]|Stack: ?|Process |Thread |Kernel Offset|Mem abort|ESR = |EC = |SET = |EA = |"
    r"Data abort|ISV = |CM = |user pgtable|swapper pgtable|\[[0-9a-f]{8,16}\] |Internal error|Read of size|Write of size|=====|-----|last sysfs|Call Trace|Call trace|Sending NMI|NMI backtrace|irq event|hardirqs|softirqs|"
    r"\d+ locks? held|#\d: |INFO: lockdep|Showing all locks|preempt_count|in_atomic\(\)|[ \t]*\(detected by|[ \t]*\(t=\d|rcu: |\d{1,4}-[.!O]{4}|Preemption disabled|Dumping ftrace|task stack|EIP: |ORIG_RAX|FIX?UP|status: |cause: |badaddr|epc : |gp : |t\d : |s\d : |a\d : |Krnl|PSW|Exception stack|Fixing recursive|Last Breaking|RSP|<)"
)

END = re.compile(r"[ \t]*---\[ end (?:trace|Kernel panic)")

OTHERS = re.compile(
    r"[ \t]*(?P<whose>Allocated by task|Freed by task|Last potentially related|Second to last potentially|Uninit was (?:stored|created)|Local variable|allocated by task|freed by task|"
    r"kfence-#\d+|The buggy address|Showing all locks|NMI backtrace for cpu|(?:read|write)(?: \(marked\))? to 0x)"
)

PROCESS = re.compile(r"(?:CPU: ?\d+ .{0,40}?)?(?:PID: \d+,? .{0,20}?)?[Cc]omm: (?P<comm>[^\s,]{1,40})")

KILLED = re.compile(r"(?:Out of memory|Memory cgroup out of memory).{0,40}: Kill(?:ed)? process ")

MEMORY = ("Mem-Info", "Node ", "active_anon", "DMA", "Normal", "[ ", "memory: ", "swap: ", "oom-kill:", "Tasks state", "Memory cgroup", "memory+swap: ", "kmem: ")  # fmt: skip
"""How the lines of an oom killer's report begin."""

COUNTER = re.compile(r"[a-z_]{3,40} \d{1,20}[ \t\r]*+$")
"""A line of the statistics of a control group: ``total_rss 33427456``."""
