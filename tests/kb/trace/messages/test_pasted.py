"""Pastes as people write them, row by row: their own words around what a tool, a database or a browser printed.

Two batches, written on 2026-11-28 from documentation and from the form of public issue threads, each before the rules that read it. At the first
try the type was right in 22 of 25 and 7 of 11 rows, the message in 52 of 59 and 25 of 38, the runtime in 43 of 57 and 20 of 29.
"""

import pytest

from kb.trace import parse
from tests.quality.readings import overlap

FIRST = [
    ('Since Node 22 the build of our shop stops:\n\n[!] RollupError: Could not resolve "./cart.js" from "src/main.js"\nsrc/main.js\n', "javascript", "RollupError", 'Could not resolve "./cart.js" from "src/main.js"'),
    ("nothing shows up in the page, the console has\nUncaught (in promise) DOMException: The play() request was interrupted by a call to pause().\nonly in Chrome", "javascript", "DOMException", "The play() request was interrupted by a call to pause()."),
    ("Uncaught ReferenceError: process is not defined at shop.js:14 - how do I polyfill this with vite 5?", "javascript", "ReferenceError", "process is not defined"),
    ('{ [error: relation "orders" already exists]\n  length: 97,\n  name: \'error\',\n  severity: \'ERROR\',\n  code: \'42P07\' }', None, None, 'relation "orders" already exists'),
    ('the migration of my nest app dies with\nQueryFailedError: constraint "FK_9" of relation "till" does not exist\n  code: \'42704\'', "javascript", "QueryFailedError", 'constraint "FK_9" of relation "till" does not exist'),
    ("(node:4711) UnhandledPromiseRejectionWarning: Error: Cannot find module 'sharp-linux-x64.node'\n(node:4711) UnhandledPromiseRejectionWarning: Unhandled promise rejection. This error originated either by throwing inside of an async function", "javascript", "Error", "Cannot find module 'sharp-linux-x64.node'"),
    ("(node:31) [DEP0040] DeprecationWarning: The `punycode` module is deprecated. Please use a userland alternative instead.\nError: connect ETIMEDOUT 10.2.0.9:5432\n  errno: -110, code: 'ETIMEDOUT'", "javascript", None, "connect ETIMEDOUT 10.2.0.9:5432"),
    ("[Nest] 40830   - 01/19/2021, 11:51:50 PM   [TypeOrmModule] Unable to connect to the database. Retrying (1)... +106ms\nError: getaddrinfo ENOTFOUND db", "javascript", None, "getaddrinfo ENOTFOUND db"),
    ("PrismaClientInitializationError: Can't reach database server at `db`:`5432`\n\nPlease make sure your database server is running at `db`:`5432`.", "javascript", "PrismaClientInitializationError", "Can't reach database server at `db`:`5432`"),
    ("Invalid `prisma.order.create()` invocation:\n\nUnique constraint failed on the fields: (`number`)\nhow can this be with autoincrement?", None, None, "Unique constraint failed on the fields: (`number`)"),
    ("升级到 vue3 以后控制台一直报 TypeError: Cannot read properties of null (reading 'insertBefore')，切换路由就白屏", "javascript", "TypeError", "Cannot read properties of null (reading 'insertBefore')"),
    ('[vite]: Rollup failed to resolve import "pinia" from "/app/src/main.ts".\nThis is most likely unintended because it can break your application at runtime.', None, None, 'Rollup failed to resolve import "pinia" from "/app/src/main.ts".'),
    ('✘ [ERROR] Could not resolve "react"\n\n    src/app.tsx:1:18:\n      1 │ import React from \'react\'', None, None, 'Could not resolve "react"'),
    ("⨯ Error: Failed to load external module pg: ReferenceError: self is not defined", "javascript", None, "self is not defined"),
    ('Warning: Text content did not match. Server: "3" Client: "4"\nUncaught Error: Hydration failed because the initial UI does not match what was rendered on the server.', "javascript", "Error", "Hydration failed because the initial UI does not match what was rendered on the server."),
    ("[webpack-cli] Error: Unknown option '--host'", "javascript", "Error", "Unknown option '--host'"),
    ('the worker prints `MongoServerError: E11000 duplicate key error collection: shop.users index: mail_1 dup key: { mail: "a@b" }` every night', "javascript", "MongoServerError", 'E11000 duplicate key error collection: shop.users index: mail_1 dup key: { mail: "a@b" }'),
    ("MongooseServerSelectionError: connect ECONNREFUSED ::1:27017 after moving to node 18. Compass connects fine.", "javascript", None, "connect ECONNREFUSED ::1:27017"),
    ("Error [ERR_REQUIRE_ESM]: require() of ES Module /app/node_modules/chalk/source/index.js from /app/cli.js not supported.\nInstead change the require of index.js", "javascript", None, "require() of ES Module /app/node_modules/chalk/source/index.js from /app/cli.js not supported."),
    ("Discord bot goes down with DiscordAPIError[50013]: Missing Permissions, the role is above all others", "javascript", "DiscordAPIError", "Missing Permissions"),
    (" ✓ Stopped Services\n ✓ Cleaned Old Files\n - Building Frontend  \\\n[ERROR] in line 139: exit code 0: while executing command yarn install --network-timeout=30000 &> /dev/null", None, None, "in line 139: exit code 0: while executing command yarn install --network-timeout=30000 &> /dev/null"),
    ("npm ERR! gyp ERR! node -v v17.9.0\nnpm ERR! gyp ERR! node-gyp -v v3.8.0\nnpm ERR! gyp ERR! not ok \nnpm ERR! Build failed with error code: 1", "tool", None, "Build failed with error code: 1"),
    ("$ docker pull shop/till\nUsing default tag: latest\nError response from daemon: manifest for shop/till:latest not found", "tool", None, "manifest for shop/till:latest not found"),
    ('Failed to pull image "shop/till:3": rpc error: code = Unknown desc = failed to pull and unpack image "docker.io/shop/till:3": failed to resolve reference "docker.io/shop/till:3": net/http: TLS handshake timeout\nand the node has internet', "tool", None, None),
    ("E: Failed to fetch http://mirror.example/debian/pool/main/c/curl/libcurl4_7.88.1-10_amd64.deb  404  Not Found [IP: 151.101.2.132 80]\nE: Unable to fetch some archives, maybe run apt-get update or try with --fix-missing?", "tool", None, "Failed to fetch http://mirror.example/debian/pool/main/c/curl/libcurl4_7.88.1-10_amd64.deb  404  Not Found [IP: 151.101.2.132 80]"),
    ('After the upgrade of nvcc I can\'t build it: "nvcc fatal   : Unsupported gpu architecture \'compute_35\'" is all it says', "tool", None, "Unsupported gpu architecture 'compute_35'"),
    ("terraform apply 之后\n│ Error: Error acquiring the state lock\n│ \n│ Error message: ConditionalCheckFailedException: The conditional request failed\n怎么解锁", None, None, "The conditional request failed"),
    ("Could not find a version that satisfies the requirement torch==1.13.0 (from versions: 2.0.0, 2.0.1)", "tool", None, "Could not find a version that satisfies the requirement torch==1.13.0 (from versions: 2.0.0, 2.0.1)"),
    ("nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)\nnothing else runs on this box", "tool", None, "bind() to 0.0.0.0:80 failed (98: Address already in use)"),
    ("git push 报错 remote: HTTP Basic: Access denied\nfatal: Authentication failed for 'https://git.example/shop.git/'", "tool", None, "Authentication failed for 'https://git.example/shop.git/'"),
    ('I run kubeadm join and get\n[preflight] Running pre-flight checks\nerror execution phase preflight: couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"', "tool", None, 'couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"'),
    ('helm upgrade fails\nError: UPGRADE FAILED: cannot patch "till" with kind Deployment: Deployment.apps "till" is invalid: spec.selector: Invalid value: field is immutable', "tool", None, None),
    ("collect2: error: ld returned 1 exit status\n/usr/bin/ld: cannot find -lpq: No such file or directory\nwhat package is that", "tool", None, "cannot find -lpq: No such file or directory"),
    ('CMake Error at CMakeLists.txt:12 (find_package):\n  By not providing "FindQt6.cmake" in CMAKE_MODULE_PATH this project has\n  asked CMake to find a package configuration file provided by "Qt6", but\n  CMake did not find one.', "tool", None, None),
    ("> Task :app:compileDebugKotlin FAILED\ne: file:///app/src/Main.kt:12:5 Unresolved reference: viewModels\n\nFAILURE: Build failed with an exception.", None, None, "Unresolved reference: viewModels"),
    ('the CI log ends with `ERROR: failed to solve: failed to compute cache key: "/dist" not found: not found`', "tool", None, 'failed to compute cache key: "/dist" not found: not found'),
    ('ansible says\nfatal: [web1]: UNREACHABLE! => {"changed": false, "msg": "Failed to connect to the host via ssh: Permission denied (publickey).", "unreachable": true}', "tool", None, "Failed to connect to the host via ssh: Permission denied (publickey)."),
    ("fatal error: openssl/ssl.h: No such file or directory\n   12 | #include <openssl/ssl.h>\ncompilation terminated.", "tool", None, "openssl/ssl.h: No such file or directory"),
    ('Job for docker.service failed because the control process exited with error code.\nSee "systemctl status docker.service" and "journalctl -xe" for details.\njournal: failed to start daemon: Error initializing network controller: error creating default "bridge" network: Failed to program NAT chain', None, None, None),
    ("curl 一下就 curl: (35) error:0A000152:SSL routines::unsafe legacy renegotiation disabled", "tool", None, "error:0A000152:SSL routines::unsafe legacy renegotiation disabled"),
    ("ssh: connect to host bastion port 22: Connection timed out\nfatal: Could not read from remote repository.", "tool", None, None),
    ("error NU1101: Unable to find package Shop.Till. No packages exist with this id in source(s): nuget.org", None, "NU1101", "Unable to find package Shop.Till. No packages exist with this id in source(s): nuget.org"),
    ("src/till.cpp(41): error C2039: 'optional': is not a member of 'std'", "tool", "C2039", "'optional': is not a member of 'std'"),
    ("go: github.com/acme/till@v1.2.0: reading github.com/acme/till/go.mod at revision v1.2.0: unknown revision v1.2.0", "tool", None, "reading github.com/acme/till/go.mod at revision v1.2.0: unknown revision v1.2.0"),
    ("vault 起不来，日志里是 Error initializing storage of type raft: failed to create fsm: failed to open bolt file: open /vault/data/vault.db: permission denied", None, None, None),
    ("2022.11.09 00:18:21.07 [ 20890 ] {5eaf-77} <Error> TCPHandler: Code: 242, e.displayText() = DB::Exception: Table is in readonly mode (zookeeper path: /ch/t/1), Stack trace (when copying this message, always include the lines below):", "sql", None, "Table is in readonly mode (zookeeper path: /ch/t/1)"),
    ('psql: FATAL:  no pg_hba.conf entry for host "10.0.0.3", user "till", database "shop", SSL off', "sql", None, 'no pg_hba.conf entry for host "10.0.0.3", user "till", database "shop", SSL off'),
    ("mysqldump: Got error: 1045: Access denied for user 'till'@'localhost' (using password: YES) when trying to connect", "sql", None, None),
    ("启动报 Caused by: com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure，端口是通的", "jvm", "com.mysql.cj.jdbc.exceptions.CommunicationsException", "Communications link failure"),
    ("Got an error from the replica: Last_SQL_Error: Error 'Duplicate entry '17' for key 'PRIMARY'' on query. Default database: 'shop'.", "sql", None, None),
    ("redis-cli says (error) WRONGTYPE Operation against a key holding the wrong kind of value", "sql", None, "Operation against a key holding the wrong kind of value"),
    ("pymongo.errors.OperationFailure: Authentication failed., full error: {'ok': 0.0, 'errmsg': 'Authentication failed.', 'code': 18}", "python", "pymongo.errors.OperationFailure", None),
    ("pymongo.errors.ServerSelectionTimeoutError: db:27017: [Errno -2] Name or service not known, Timeout: 30s", "python", "pymongo.errors.ServerSelectionTimeoutError", "db:27017: [Errno -2] Name or service not known, Timeout: 30s"),
    ("SQL Error [1105] [HY000]: errCode = 2, detailMessage = tablet 10042 has no available replica", "sql", None, None),
    ("ERROR 1064 (42000) at line 3 in file: 'dump.sql': You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1", "sql", None, "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '' at line 1"),
    ("ORA-12514: TNS:listener does not currently know of service requested in connect descriptor，用 sqlplus 本机能连", "sql", "ORA-12514", "TNS:listener does not currently know of service requested in connect descriptor"),
    ("sqlite3.OperationalError: database is locked\nwith two workers", "python", "sqlite3.OperationalError", "database is locked"),
    ('{"error":{"root_cause":[{"type":"cluster_block_exception","reason":"index [pv] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];"}],"type":"cluster_block_exception","reason":"index [pv] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];"},"status":403}\ndisk has 80 GB free', "sql", "cluster_block_exception", "index [pv] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];"),
    ("SQLSTATE[42S02]: Base table or view not found: 1146 Table 'shop.jobs' doesn't exist (SQL: select * from `jobs`)", "sql", None, None),
    ('PG::UndefinedObject: ERROR: constraint "steps_fkey1" of relation "steps" does not\nexist', None, "PG::UndefinedObject", None),
    ("kafka broker log:\n[2024-03-01 10:12:13,456] ERROR [KafkaServer id=1] Fatal error during KafkaServer startup. Prepare to shutdown (kafka.server.KafkaServer)\nkafka.common.InconsistentClusterIdException: The Cluster ID x doesn't match stored clusterId Some(y) in meta.properties.", "jvm", "kafka.common.InconsistentClusterIdException", "The Cluster ID x doesn't match stored clusterId Some(y) in meta.properties."),
    ("Access denied for user 'root'@'172.18.0.1' (using password: YES)\nfrom the container only", "sql", None, "Access denied for user 'root'@'172.18.0.1' (using password: YES)"),
    ("Percona node goes non-primary: [ERROR] WSREP: gcs/src/gcs_group.cpp:group_post_state_exchange():431: Reversing history: 10 -> 7, this member has applied 3 more events than the primary component.", None, None, None),
    ("UnrealizedError? the pod logs panic: runtime error: invalid memory address or nil pointer dereference and restarts", "go", None, "runtime error: invalid memory address or nil pointer dereference"),
    ("System.InvalidOperationException: Unable to resolve service for type 'Shop.IClock' while attempting to activate 'Shop.Till'.", "dotnet", "System.InvalidOperationException", "Unable to resolve service for type 'Shop.IClock' while attempting to activate 'Shop.Till'."),
    ("The instance of entity type 'Order' cannot be tracked because another instance with the same key value for {'Id'} is already being tracked.", None, None, "The instance of entity type 'Order' cannot be tracked because another instance with the same key value for {'Id'} is already being tracked."),
    ("PHP Fatal error:  Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes) in /app/vendor/autoload.php on line 12", "php", None, "Allowed memory size of 134217728 bytes exhausted (tried to allocate 20480 bytes)"),
    ("error[E0433]: failed to resolve: use of undeclared crate or module `tokio`\n --> src/main.rs:3:5", None, "E0433", "failed to resolve: use of undeclared crate or module `tokio`"),
    ("ImportError: libGL.so.1: cannot open shared object file: No such file or directory in a slim image", "python", "ImportError", "libGL.so.1: cannot open shared object file: No such file or directory"),
    ("日志：\n2024-05-01 10:00:00.123 ERROR 1 --- [main] o.s.b.d.LoggingFailureAnalysisReporter :\n\n***************************\nAPPLICATION FAILED TO START\n***************************\n\nDescription:\n\nWeb server failed to start. Port 8080 was already in use.", "jvm", None, "Web server failed to start. Port 8080 was already in use."),
    ("SPARK 任务挂了，yarn 上看到 Container killed by YARN for exceeding memory limits. 5.6 GB of 5.5 GB physical memory used.", None, None, "Container killed by YARN for exceeding memory limits. 5.6 GB of 5.5 GB physical memory used."),
    ("Internal error. Please refer to https://jb.gg/ide/critical-startup-errors\n\njava.net.BindException: Address already in use: bind", "jvm", "java.net.BindException", "Address already in use: bind"),
]  # fmt: skip
"""Text, runtime, root type, message; None for what a row leaves open."""
SECOND = [
    ("py4j.protocol.Py4JJavaError: An error occurred while calling o41.save.\n: java.lang.ClassNotFoundException: org.postgresql.Driver", "python", "java.lang.ClassNotFoundException", "org.postgresql.Driver"),
    ('NoClassDefFoundError "shop/v3/Till"\nwhile the server loads the plugin', "jvm", "NoClassDefFoundError", "shop/v3/Till"),
    ("Opening the page only gives me this.\nHTTP Status 500 – Internal Server Error\nType Exception Report\n\nMessage The pool has no connection left\n\nDescription The server encountered an unexpected condition.", None, None, "The pool has no connection left"),
    ("HTTP状态 500 - 内部服务器错误\n类型 异常报告\n\n消息 实例化Servlet类[shop.TillServlet]异常\n\n描述 服务器遇到一个意外的情况", None, None, "实例化Servlet类[shop.TillServlet]异常"),
    ("2025-04-22 09:13:49,746 ERROR [shop.web] ApiError(200, 'N/A', 'Result window is to\no large, from + size must be less than 10000.')\nthat is all", "python", "ApiError", None),
    ("our MariaDB refuses the dump: Row size too large (> 8126). Changing some columns to TEXT or BLOB may help. Any way around?", None, None, "Row size too large (> 8126). Changing some columns to TEXT or BLOB may help."),
    ("导入的时候提示 Got a packet bigger than 'max_allowed_packet' bytes，已经改过 my.cnf 了", None, None, "Got a packet bigger than 'max_allowed_packet' bytes"),
    ("Galera says WSREP has not yet prepared node for application use when I query it", None, None, "WSREP has not yet prepared node for application use"),
    ("mongorestore stops with\nFailed: shop.orders: error restoring from dump/orders.bson: (DuplicateKey) E11000 duplicate key error", None, None, None),
    ("2024-01-02T10:00:00.000Z E  STORAGE  [initandlisten] WiredTiger error (13) [1704189600:0][1:0x7f], file:WiredTiger.wt, connection: __posix_open_file, 672: /data/db/WiredTiger.turtle: handle-open: open: Permission denied", None, None, None),
    ('pg_restore: error: could not execute query: ERROR:  role "till" does not exist\nCommand was: ALTER TABLE public.orders OWNER TO till;', "sql", None, 'role "till" does not exist'),
    ('pg_upgrade ends with: could not load library "$libdir/postgis-2.5": ERROR:  could not access file "$libdir/postgis-2.5": No such file or directory', "sql", None, None),
    ("FATAL:  database files are incompatible with server\nDETAIL:  The data directory was initialized by PostgreSQL version 12, which is not compatible with this version 16.1.", "sql", None, "database files are incompatible with server"),
    ("clickhouse-client: Code: 241. DB::Exception: Memory limit (total) exceeded: would use 9.31 GiB (attempt to allocate chunk of 4360992 bytes), maximum: 9.31 GiB. (MEMORY_LIMIT_EXCEEDED)", "sql", None, None),
    ("elasticsearch 起不来：max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]", None, None, "max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]"),
    ("bootstrap check failure [1] of [1]: the default discovery settings are unsuitable for production use; at least one of [discovery.seed_hosts] must be configured", None, None, None),
    ("Redis replication log: # MASTER aborted replication with an error: NOAUTH Authentication required.", None, None, None),
    ("Can't open the append-only file: Permission denied\nsince I mounted the volume", None, None, "Can't open the append-only file: Permission denied"),
    ("cassandra refuses to start: Cannot start node if snitch's data center (dc1) differs from previous data center (datacenter1). Please fix the snitch configuration", None, None, None),
    ("Msg 18456, Level 14, State 1, Server db, Line 1\nLogin failed for user 'till'.", "sql", None, "Login failed for user 'till'."),
    ("Cannot insert the value NULL into column 'id', table 'shop.dbo.orders'; column does not allow nulls. INSERT fails.", None, None, "Cannot insert the value NULL into column 'id', table 'shop.dbo.orders'; column does not allow nulls. INSERT fails."),
    ("sqlite: Error: near line 14: UNIQUE constraint failed: orders.number", None, None, "UNIQUE constraint failed: orders.number"),
    ("Hive on tez: FAILED: SemanticException [Error 10001]: Line 1:14 Table not found 'orders'", "sql", None, "Line 1:14 Table not found 'orders'"),
    ("trino says Query 2024_01 failed: line 3:7: Column 'price' cannot be resolved", None, None, "line 3:7: Column 'price' cannot be resolved"),
    ("etcdserver: mvcc: database space exceeded\nhow do I compact it", None, None, "etcdserver: mvcc: database space exceeded"),
    ("The image doesn't start: exec /usr/local/bin/entry.sh: exec format error. I build on an M1.", None, None, "exec /usr/local/bin/entry.sh: exec format error"),
    ('pods stay in ContainerCreating, describe shows\n  Warning  FailedMount  3m (x12 over 20m)  kubelet  MountVolume.SetUp failed for volume "till-config" : configmap "till" not found', "tool", None, 'MountVolume.SetUp failed for volume "till-config" : configmap "till" not found'),
    ("0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient cpu.", None, None, "0/3 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 2 Insufficient cpu."),
    ("x509: certificate signed by unknown authority, although the CA is in the store", None, None, "x509: certificate signed by unknown authority"),
    ("ingress 报 upstream prematurely closed connection while reading response header from upstream", None, None, "upstream prematurely closed connection while reading response header from upstream"),
    ("pip: ERROR: Cannot uninstall 'PyYAML'. It is a distutils installed project and thus we cannot accurately determine which files belong to it", "tool", None, None),
    ("Poetry keeps telling me SolverProblemError: Because till (1.0) depends on numpy (>=2) and shop depends on numpy (<2), version solving failed.", None, None, None),
    ("conda: PackagesNotFoundError: The following packages are not available from current channels:\n\n  - cudatoolkit=10.0", None, "PackagesNotFoundError", "The following packages are not available from current channels:"),
    ("xcodebuild: error: Unable to find a destination matching the provided destination specifier", "tool", None, "Unable to find a destination matching the provided destination specifier"),
    ("ld: symbol(s) not found for architecture arm64\nclang: error: linker command failed with exit code 1 (use -v to see invocation)", "tool", None, "symbol(s) not found for architecture arm64"),
    ("version `GLIBC_2.34' not found (required by ./till)", None, None, "version `GLIBC_2.34' not found (required by ./till)"),
    ("./till: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./till)", None, None, None),
    ("gradle: Could not resolve all files for configuration ':app:debugRuntimeClasspath'.\n   > Could not find com.acme:till:1.2.\n     Searched in the following locations:", None, None, None),
    ("Execution failed for task ':app:mergeDebugResources'.\n> A failure occurred while executing com.android.build.gradle.internal.res.ResourceCompilerRunnable\n   > Android resource compilation failed", "tool", None, None),
    ("[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile (default-compile) on project till: Fatal error compiling: error: invalid target release: 17 -> [Help 1]", "tool", None, None),
    ("mvn 一直 Could not transfer artifact org.acme:till:pom:1.0 from/to maven-default-http-blocker (http://0.0.0.0/): Blocked mirror for repositories", None, None, None),
    ("haproxy: [ALERT] 001/101010 (12) : Starting frontend http: cannot bind socket [0.0.0.0:80]", "tool", None, "Starting frontend http: cannot bind socket [0.0.0.0:80]"),
    ("AH00558: apache2: Could not reliably determine the server's fully qualified domain name, using 127.0.1.1\n(98)Address already in use: AH00072: make_sock: could not bind to address [::]:80", "tool", None, None),
    ('rsync: [sender] send_files failed to open "/root/x": Permission denied (13)\nrsync error: some files/attrs were not transferred (see previous errors) (code 23) at main.c(1330)', "tool", None, None),
    ("tar (child): xz: Cannot exec: No such file or directory\ntar: Error is not recoverable: exiting now", "tool", None, "xz: Cannot exec: No such file or directory"),
    ("mount: /mnt: wrong fs type, bad option, bad superblock on 10.0.0.3:/srv, missing codepage or helper program, or other error.", "tool", None, None),
    ("iptables v1.8.7 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)", "tool", None, None),
    ("modprobe: FATAL: Module wireguard not found in directory /lib/modules/5.4.0", "tool", None, "Module wireguard not found in directory /lib/modules/5.4.0"),
    ('snap 装完提示 error: cannot perform the following tasks:\n- Mount snap "core20" (1405) (systemctl command [start snap-core20.mount] failed with exit status 1', "tool", None, None),
    ('Vagrant was unable to mount VirtualBox shared folders. This is usually because the filesystem "vboxsf" is not available.', None, None, "Vagrant was unable to mount VirtualBox shared folders."),
    ("flutter run 报错：Gradle task assembleDebug failed with exit code 1", None, None, "Gradle task assembleDebug failed with exit code 1"),
    ("WSL: Error: 0x80370102 The virtual machine could not be started because a required feature is not installed.", None, None, "The virtual machine could not be started because a required feature is not installed."),
    ("The page stays white, `Uncaught SyntaxError: Unexpected token '<'` in main.js", "javascript", "SyntaxError", "Unexpected token '<'"),
    ('react native: Invariant Violation: "main" has not been registered. This can happen if Metro is run from the wrong folder.', None, "Invariant Violation", None),
    ('error - unhandledRejection: TypeError [ERR_INVALID_ARG_TYPE]: The "path" argument must be of type string. Received undefined', "javascript", "TypeError", 'The "path" argument must be of type string. Received undefined'),
    ("jest 里一直 TypeError: (0 , _router.useRouter) is not a function", "javascript", "TypeError", "(0 , _router.useRouter) is not a function"),
    ('Refused to connect to \'wss://shop.example/ws\' because it violates the following Content Security Policy directive: "connect-src \'self\'".', None, None, None),
    ("Access to fetch at 'http://api/' from origin 'http://localhost:3000' has been blocked by CORS policy: No 'Access-Control-Allow-Origin' header is present on the requested resource.", None, None, None),
    ("net::ERR_CERT_AUTHORITY_INVALID in Electron only", None, None, None),
    ("X [ERROR] NG8001: 'shop-till' is not a known element:\n1. If 'shop-till' is an Angular component, then verify that it is part of this module.", None, "NG8001", "'shop-till' is not a known element:"),
    ("ERROR Error: NG0203: inject() must be called from an injection context", "javascript", None, None),
    ("src/till.ts:4:7 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n4   let n: number = ''", "tool", "TS2322", "Type 'string' is not assignable to type 'number'."),
    ("ReferenceError: Can't find variable: IntersectionObserver on iOS 12", "javascript", "ReferenceError", "Can't find variable: IntersectionObserver"),
    ("WebSocket connection to 'ws://localhost:5173/' failed: Error during WebSocket handshake: Unexpected response code: 400", None, None, None),
]  # fmt: skip
"""The same; most of databases and tools that somebody talks to."""
OTHERWISE: dict[str, set[str]] = {
    "Uncaught ReferenceError: process is not ": {"message"},
    "[webpack-cli] Error: Unknown option '--h": {"runtime", "type"},
    "Discord bot goes down with DiscordAPIErr": {"message"},
    "Could not find a version that satisfies ": {"runtime"},
    "git push 报错 remote: HTTP Basic: Access d": {"message"},
    "fatal error: openssl/ssl.h: No such file": {"runtime"},
    "mysqldump: Got error: 1045: Access denie": {"runtime"},
    "Got an error from the replica: Last_SQL_": {"runtime"},
    "Access denied for user 'root'@'172.18.0.": {"runtime"},
    "UnrealizedError? the pod logs panic: run": {"runtime"},
    "日志：\n2024-05-01 10:00:00.123 ERROR 1 --- ": {"runtime"},
    "2025-04-22 09:13:49,746 ERROR [shop.web]": {"runtime"},
    "sqlite: Error: near line 14: UNIQUE cons": {"message"},
    "Execution failed for task ':app:mergeDeb": {"runtime"},
    "The image doesn't start: exec /usr/local": {"message"},
    "rsync: [sender] send_files failed to ope": {"runtime"},
    "mount: /mnt: wrong fs type, bad option, ": {"runtime"},
    "modprobe: FATAL: Module wireguard not fo": {"runtime"},
    "Vagrant was unable to mount VirtualBox s": {"message"},
    "ReferenceError: Can't find variable: Int": {"message"},
}
"""Rows that are read otherwise, by how they begin: what differs."""


def differing(text: str, runtime: str | None, kind: str | None, message: str | None) -> set[str]:
    chains = parse(text)
    said = [(chain.root.message or "").strip().partition("\n")[0] for chain in chains]
    is_read = {
        "found": bool(chains),
        "runtime": runtime is None or runtime in {chain.runtime for chain in chains},
        "type": kind is None or kind in {chain.root.type for chain in chains},
        "message": message is None or max((overlap(one, message) for one in said), default=0) >= 0.8,
    }
    return {name for name, holds in is_read.items() if not holds}


@pytest.mark.parametrize("row", [*FIRST, *SECOND], ids=lambda row: row[0][:40])
def test_a_paste_is_read(row: tuple[str, str | None, str | None, str | None]) -> None:
    assert differing(*row) == OTHERWISE.get(row[0][:40], set())


PYTHON = """
airflow.exceptions.AirflowException ansible.errors.AnsibleParserError asyncio.exceptions.TimeoutError azure.core.exceptions.ResourceNotFoundError botocore.exceptions.ClientError
celery.exceptions.NotRegistered clickhouse_connect.driver.exceptions.DatabaseError discord.errors.Forbidden docker.errors.ImageNotFound django.core.exceptions.ImproperlyConfigured
duckdb.duckdb.IOException git.exc.GitCommandError google.api_core.exceptions.NotFound grpc._channel._InactiveRpcError jinja2.exceptions.UndefinedError jsonschema.exceptions.ValidationError
jwt.exceptions.DecodeError kafka.errors.NoBrokersAvailable kubernetes.client.exceptions.ApiException mysql.connector.errors.InterfaceError neo4j.exceptions.ServiceUnavailable
openai.error.RateLimitError pandas.errors.ParserError paramiko.ssh_exception.AuthenticationException pika.exceptions.AMQPConnectionError playwright._impl._errors.TimeoutError psycopg2.errors.UniqueViolation
pydantic_core._pydantic_core.ValidationError pymongo.errors.OperationFailure pymysql.err.OperationalError ray.exceptions.RayTaskError redis.exceptions.ResponseError scrapy.exceptions.NotConfigured
selenium.common.exceptions.NoSuchElementException snowflake.connector.errors.ProgrammingError sqlalchemy.exc.NoResultFound stripe.error.CardError telegram.error.Conflict torch.OutOfMemoryError
urllib3.exceptions.MaxRetryError werkzeug.exceptions.NotFound yaml.scanner.ScannerError
""".split()  # noqa: SIM905
JVM = """
akka.pattern.AskTimeoutException cn.hutool.core.exceptions.UtilException com.acme.errors.PayFailure feign.RetryableException freemarker.core.InvalidReferenceException groovy.lang.MissingPropertyException
io.grpc.StatusRuntimeException java.io.IOException kafka.common.KafkaException liquibase.exception.LiquibaseException oracle.net.ns.NetException org.apache.kafka.common.errors.TimeoutException
redis.clients.jedis.exceptions.JedisConnectionException retrofit2.HttpException rx.exceptions.OnErrorNotImplementedException scala.MatchError
""".split()  # noqa: SIM905


@pytest.mark.parametrize(
    "dress", ["{}: gone away", "nightly job: {}: gone away\\nsince Monday", "it logs `{}: gone away` all night"]
)
@pytest.mark.parametrize(("name", "runtime"), [*((one, "python") for one in PYTHON), *((one, "jvm") for one in JVM)])
def test_a_qualified_name_tells_its_runtime(name: str, runtime: str, dress: str) -> None:
    (chain,) = parse(dress.format(name))
    assert (chain.runtime, chain.root.type) == (runtime, name)
