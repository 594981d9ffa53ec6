"""Log lines of ordinary programs, errors included, that have nothing to do with any accelerator."""

from __future__ import annotations

import random

_WORDS = ("alpha", "orders", "billing", "gateway", "cache", "worker", "index", "report", "auth")
_TEMPLATES = """
{ip} - - [06/May/2024:10:11:{s} +0000] "GET /{w}/{n} HTTP/1.1" 200 {n} "-" "curl/8.5.0"
{ip} - - [06/May/2024:10:11:{s} +0000] "POST /{w} HTTP/1.1" 502 157 "-" "Mozilla/5.0"
2024/05/06 10:11:{s} [error] {n}#{n}: *{n} upstream timed out (110: Connection timed out) while reading response header from upstream, client: {ip}, server: {w}.example.com, request: "GET / HTTP/1.1"
2024/05/06 10:11:{s} [error] {n}#{n}: *{n} connect() failed (111: Connection refused) while connecting to upstream, server: {w}.example.com
2024/05/06 10:11:{s} [crit] {n}#{n}: *{n} SSL_do_handshake() failed (SSL: error:0A00006C:SSL routines::bad key share)
2024/05/06 10:11:{s} [emerg] 1#1: bind() to 0.0.0.0:80 failed (98: Address already in use)
May  6 10:11:{s} {w} kernel: [{n}.123456] EXT4-fs error (device sda1): ext4_find_entry:1531: inode #{n}: comm {w}: reading directory lblock 0
May  6 10:11:{s} {w} kernel: [{n}.123456] Out of memory: Killed process {n} (java) total-vm:{n}kB, anon-rss:{n}kB
May  6 10:11:{s} {w} kernel: [{n}.123456] blk_update_request: I/O error, dev sdb, sector {n} op 0x0:(READ)
May  6 10:11:{s} {w} kernel: [{n}.123456] EDAC MC0: 1 CE memory read error on CPU_SrcID#0_MC#0_Chan#1_DIMM#0
May  6 10:11:{s} {w} kernel: [{n}.123456] mce: [Hardware Error]: CPU 3: Machine Check: 0 Bank 5: be00000000800400 uncorrectable ECC
May  6 10:11:{s} {w} kernel: [{n}.123456] usb 1-1: device descriptor read/64, error -71
May  6 10:11:{s} {w} kernel: [{n}.123456] nvme nvme0: I/O {n} QID 5 timeout, aborting
May  6 10:11:{s} {w} kernel: [{n}.123456] iwlwifi 0000:00:14.3: firmware version mismatch with the driver, expected {n}
May  6 10:11:{s} {w} kernel: [{n}.123456] NVRM: GPU at PCI:0000:3b:00: GPU has fallen off the bus, device lost
May  6 10:11:{s} {w} kernel: [{n}.123456] audit: type=1400 audit(1714990271.{n}:{n}): apparmor="DENIED" operation="open"
May  6 10:11:{s} {w} systemd[1]: {w}.service: Main process exited, code=exited, status=1/FAILURE
May  6 10:11:{s} {w} systemd[1]: {w}.service: Failed with result 'exit-code'.
May  6 10:11:{s} {w} systemd[1]: Failed to start The {w} HTTP server.
May  6 10:11:{s} {w} sshd[{n}]: Failed password for invalid user admin from {ip} port {n} ssh2
May  6 10:11:{s} {w} sshd[{n}]: error: kex_exchange_identification: Connection closed by remote host
May  6 10:11:{s} {w} CRON[{n}]: (root) CMD (   cd / && run-parts --report /etc/cron.hourly)
May  6 10:11:{s} {w} dockerd[{n}]: level=error msg="Handler for GET /v1.43/containers/{w}/json returned error: No such container: {w}"
May  6 10:11:{s} {w} kubelet[{n}]: E0506 10:11:{s}.123456    {n} pod_workers.go:1300] "Error syncing pod, skipping" err="failed to start container"
May  6 10:11:{s} {w} containerd[{n}]: time="2024-05-06T10:11:{s}" level=error msg="failed to pull image" error="not found"
ERROR: Could not find a version that satisfies the requirement {w}=={n} (from versions: none)
ERROR: No matching distribution found for {w}=={n}
ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.
error: subprocess-exited-with-error: Getting requirements to build wheel did not run successfully. exit code: 1
WARNING: Running pip as the 'root' user can result in broken permissions
  File "/usr/lib/python3/dist-packages/{w}/app.py", line {n}, in main
ModuleNotFoundError: No module named '{w}'
ModuleNotFoundError: No module named 'yaml'
ModuleNotFoundError: No module named 'requests'
ImportError: libGL.so.1: cannot open shared object file: No such file or directory
ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.10/collections/__init__.py)
ImportError: numpy.core.multiarray failed to import
AttributeError: module 'numpy' has no attribute 'bool'.
AttributeError: `np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.
KeyError: '{w}'
ValueError: invalid literal for int() with base 10: '{w}'
ValueError: input size {n} is not equal to expected size {n}
struct.error: unpack_from requires a buffer of at least {n} bytes for unpacking 4 bytes at offset {n}
TypeError: Descriptors cannot be created directly.
RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.79 GiB total capacity)
RuntimeError: CUDA error: device-side assert triggered
RuntimeError: The NVIDIA driver on your system is too old (found version {n}). Please update your GPU driver
RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
RuntimeError: Unsupported ONNX opset version: {n}
[E:onnxruntime:, inference_session.cc:1533 operator()] Exception during initialization: Node (Conv_{n}) Op (Conv) [ShapeInferenceError] Inferred shape and existing shape differ in dimension 0
tensorflow.python.framework.errors_impl.NotFoundError: Op type not registered 'BatchFunction' in binary running on {w}
NotImplementedError: The operator 'aten::{w}' is not currently implemented for the MPS device
[E] Error[3]: [builder.cpp::buildEngine::{n}] Error Code 3: API Usage Error (Parameter check failed at: builder.cpp)
bfloat16 is not supported on this GPU device, falling back to float32
{w}.c:{n}:5: error: implicit declaration of function '{w}' [-Wimplicit-function-declaration]
{w}.cpp:{n}:10: fatal error: {w}.h: No such file or directory
/usr/bin/ld: {w}.o: in function `main': undefined reference to `{w}_init'
/usr/bin/ld: {w}.o: undefined reference to `acl_get_file'
{w}: symbol lookup error: /usr/lib/lib{w}.so.1: undefined symbol: getrandom
./{w}: error while loading shared libraries: libacl.so.1: cannot open shared object file: No such file or directory
./{w}: error while loading shared libraries: libgraphite2.so.3: cannot open shared object file: No such file or directory
./{w}: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.34' not found (required by ./{w})
collect2: error: ld returned 1 exit status
make: *** [Makefile:{n}: {w}] Error 2
CMake Error at CMakeLists.txt:{n} (find_package): Could not find a package configuration file provided by "{w}"
clang: error: unknown target CPU '{w}'
error[E0425]: cannot find value `{w}` in this scope
error: could not compile `{w}` (bin "{w}") due to {n} previous errors
./{w}.go:{n}:2: undefined: {w}
panic: runtime error: index out of range [{n}] with length {n}
npm ERR! code ELIFECYCLE errno 1 {w}@1.0.{n} build: `webpack`
npm WARN deprecated {w}@2.{n}.0: this package is no longer supported
Uncaught TypeError: Cannot read properties of undefined (reading '{w}')
Exception in thread "main" java.lang.NullPointerException: Cannot invoke "String.length()" because "{w}" is null
Caused by: java.net.SocketTimeoutException: connect timed out
java.lang.OutOfMemoryError: Java heap space
java.lang.UnsatisfiedLinkError: no {w} in java.library.path
\tat com.example.{w}.Service.run(Service.java:{n})
2024-05-06 10:11:{s},123 ERROR [{w}] (main) HHH000315: Exception executing batch [{n}]
2024-05-06 10:11:{s}.123 UTC [{n}] ERROR:  relation "{w}" does not exist at character {n}
2024-05-06 10:11:{s}.123 UTC [{n}] FATAL:  password authentication failed for user "{w}"
2024-05-06 10:11:{s}.123 UTC [{n}] LOG:  could not receive data from client: Connection reset by peer
2024-05-06 10:11:{s}.123 UTC [{n}] ERROR:  could not extend file "base/{n}/{n}": No space left on device
2024-05-06 10:11:{s}.123 UTC [{n}] PANIC:  could not locate a valid checkpoint record
[Note] InnoDB: Buffer pool(s) load completed at 240506 10:11:{s}
[ERROR] [MY-010334] [Server] Failed to initialize DD Storage Engine, error code: {six}
{n}:M 06 May 2024 10:11:{s}.123 # Error accepting a client connection: accept: Too many open files
E: Unable to locate package {w}
E: Sub-process /usr/bin/dpkg returned an error code (1)
dpkg: error processing package {w} (--configure): dependency problems - leaving unconfigured
W: Target Packages (main/binary-amd64/Packages) is configured multiple times in /etc/apt/sources.list
fatal: unable to access 'https://example.com/{w}.git/': Could not resolve host: example.com
error: failed to push some refs to 'origin'
Permission denied (publickey).
bash: ./{w}: Permission denied
mv: cannot move '/data/{w}' to '/opt/{w}': Permission denied
mount: /mnt/{w}: device is busy.
rm: cannot remove '/mnt/{w}': Device or resource busy
tar: {w}.tar.gz: Cannot open: No such file or directory
gzip: {w}.gz: invalid magic number
unzip:  cannot find or open {w}.zip
cp: error writing '{w}': No space left on device
Segmentation fault (core dumped)
terminate called after throwing an instance of 'std::bad_alloc'
  what():  std::bad_alloc
[libprotobuf ERROR google/protobuf/descriptor_database.cc:175] Symbol name "{w}" conflicts with the existing symbol "{w}"
I0506 10:11:{s}.123456    {n} server.go:{n}] Started {w} on port {n}
W0506 10:11:{s}.123456    {n} cache.go:{n}] stale entry for {w}
E0506 10:11:{s}.123456    {n} controller.go:{n}] failed to sync {w}: timed out waiting for the condition
time="2024-05-06T10:11:{s}Z" level=warning msg="failed to load model from file {w}.bin" error="open: no such file"
(EngineCore_0 pid={n}) ERROR 05-06 10:11:{s} [core.py:{n}] EngineCore failed to start.
RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.
torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:{n}, unhandled cuda error, NCCL version 2.18.1
[rank0]:[E506 10:11:{s} ProcessGroupNCCL.cpp:{n}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={n}, OpType=ALLREDUCE)
torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB
AssertionError: Torch not compiled with CUDA enabled
triton.compiler.errors.CompilationError: at {n}:4: unsupported operand
RuntimeError: mat1 and mat2 shapes cannot be multiplied ({n}x512 and 768x{n})
RuntimeError: shape mismatch: value tensor of shape [{n}] cannot be broadcast to indexing result of shape [{n}, 2]
RuntimeError: DataLoader worker (pid {n}) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory.
ImportError: /opt/{w}/lib{w}.so: undefined symbol: _ZN3c105ErrorC2ENS_14SourceLocationESs
OSError: [Errno 28] No space left on device: '/data/{w}'
FAILED tests/test_{w}.py::test_{w} - AssertionError: assert {n} == {n}
E       ImportError: cannot import name '{w}' from partially initialized module '{w}' (most likely due to a circular import)
E   ModuleNotFoundError: No module named 'scipy'
ERROR collecting tests/test_{w}.py
error: Your local changes to the following files would be overwritten by merge: {w}.txt
fatal: not a git repository (or any of the parent directories): .git
CONFLICT (content): Merge conflict in {w}.txt
error: RPC failed; curl 56 GnuTLS recv error (-54): Error in the pull function.
CMake Error at /usr/share/cmake-3.22/Modules/FindPackageHandleStandardArgs.cmake:230 (message): Could NOT find {w} (missing: {w}_DIR)
CMake Error: The source directory "/src/{w}" does not exist.
ninja: build stopped: subcommand failed.
cc1plus: error: unrecognized command-line option '-Wno-{w}'
Caused by: org.springframework.beans.factory.BeanCreationException: Error creating bean with name '{w}': invocation of init method failed
java.sql.SQLException: ORA-01017: invalid username/password; logon denied
# A fatal error has been detected by the Java Runtime Environment: SIGSEGV (0xb) at pc=0x{n}
docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].
docker: Error response from daemon: failed to create task for container: OCI runtime create failed: runc create failed: unable to start container process: exec: "{w}": executable file not found in $PATH: unknown.
Error response from daemon: Unknown runtime specified {w}
Error: failed to mount src: /data/{w}: permission denied
0/{n} nodes are available: {n} Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint.
Warning  FailedScheduling  default-scheduler  0/3 nodes are available: 3 Insufficient cpu.
May  6 10:11:{s} {w} kernel: [{n}.123456] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),task={w},pid={n}
May  6 10:11:{s} {w} kernel: [{n}.123456] python3[{n}]: segfault at 0 ip 00007f error 4 in libc.so.6
May  6 10:11:{s} {w} kernel: [{n}.123456] NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.
May  6 10:11:{s} {w} kernel: [{n}.123456] pcieport 0000:00:1c.0: AER: Corrected error received: id=00e0
May  6 10:11:{s} {w} systemd[1]: {w}.service: Start request repeated too quickly.
May  6 10:11:{s} {w} systemd[1]: Dependency failed for {w} mount.
ERROR: Cannot install {w}==1.{n} and numpy==1.26 because these package versions have conflicting dependencies.
ERROR: Failed to build installable wheels for some pyproject.toml based projects ({w})
{w} 1.{n} requires numpy<2,>=1.21, but you have numpy 2.1.0 which is incompatible.
{w} 1.{n} requires protobuf, which is not installed.
E0000 00:00:{n}.{n} cuda_driver.cc:{n}] failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected
UserWarning: CUDA initialization: The NVIDIA driver on your system is too old
W0506 10:11:{s} torch/_dynamo/convert_frame.py:{n}] torch._dynamo hit config.cache_size_limit (8)
Status: status 1001, error code is {six}, failed to reach {w}
E1001 ETIMEDOUT while fetching {w}
E10001: the order {n} was rejected
errno: 107002 in table {w}
2024-05-06 10:11:{s} INFO {w}: processed {n} records in {n} ms, result={six}
2024-05-06 10:11:{s} WARN {w}: retrying request {six} after failure: status={six}
2024-05-06 10:11:{s} ERROR {w}: request failed with code {six}
2024-05-06 10:11:{s} ERROR {w}: order failed, ret=507123, see ticket {n}
2024-05-06 10:11:{s} ERROR {w}: rank table of players is invalid for season {n}
2024-05-06 10:11:{s} ERROR {w}: accuracy of the sensor is wrong, deviation {n}
{w}_test.py::test_{w} FAILED [ {s}%]
======================== {n} failed, {n} passed in {s}.12s ========================
FAILED tests/{w}_test.py::test_{w} - AssertionError: assert {n} == {n}
traefik | time="2024-05-06T10:11:{s}Z" level=error msg="Error while starting server: listen tcp :443: bind: address already in use"
rabbitmq | [error] <0.{n}.0> closing AMQP connection <0.{n}.0> ({ip}:{n} -> {ip}:5672): missed heartbeats from client, timeout: 60s
zookeeper: WARN [QuorumPeer] Cannot open channel to {s} at election address, rank {n}
gunicorn.errors.HaltServer: <HaltServer 'Worker failed to boot.' {n}>
celery.exceptions.NotRegistered: '{w}.tasks.{w}'
elasticsearch.exceptions.ConnectionTimeout: ConnectionTimeout caused by - ReadTimeoutError(HTTPSConnectionPool(host='{w}', port=9200))
redis.exceptions.ConnectionError: Error 111 connecting to {w}:6379. Connection refused.
requests.exceptions.SSLError: HTTPSConnectionPool(host='{w}.example.com', port=443): Max retries exceeded
kafka: ERROR [ReplicaManager broker={n}] Error processing append operation on partition {w}-{n}
logrotate: error: skipping "/var/log/{w}.log" because parent directory has insecure permissions
postfix/smtp[{n}]: connect to mail.{w}.com[{ip}]:25: Connection timed out
composer: vendor/{w}/framework requires version 8.{n} -> your php version does not satisfy that requirement, mismatch
ffmpeg: [h264 @ 0x55d0c0de] error while decoding MB {n} {n}, bytestream {n}
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.8.1:compile (default-compile) on project {w}
hdfs: WARN DataStreamer: DataStreamer Exception java.io.IOException: Unable to create new block.
spark: ERROR Executor: Exception in task {n}.0 in stage {n}.0 (TID {n})
用户 {w} 登录失败：密码错误
数据库连接失败，错误码 {six}，请稍后重试
"""


def lines(count: int = 2000, seed: int = 7) -> list[str]:
    """`count` lines from the templates, every template at least once."""
    rng = random.Random(seed)
    templates = [t for t in _TEMPLATES.strip().splitlines() if t]
    chosen = templates + [rng.choice(templates) for _ in range(count - len(templates))]
    rng.shuffle(chosen)
    return [_fill(template, rng) for template in chosen[:count]]


def _fill(template: str, rng: random.Random) -> str:
    text = template
    while "{" in text and any(k in text for k in ("{ip}", "{n}", "{s}", "{w}", "{six}")):
        text = text.replace("{ip}", ".".join(str(rng.randrange(1, 255)) for _ in range(4)), 1)
        text = text.replace("{n}", str(rng.randrange(1, 99999)), 1)
        text = text.replace("{s}", f"{rng.randrange(60):02d}", 1)
        text = text.replace("{six}", str(rng.randrange(600000, 999999)), 1)
        text = text.replace("{w}", rng.choice(_WORDS), 1)
    return text
