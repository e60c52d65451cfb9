#!/bin/bash
# A real Slurm on this machine, for tests: munged, slurmctld and one slurmd a node, all on the loopback device, on ports of their own,
# with every file below one directory. No systemd, nothing in /etc, nothing left behind.
#
#   slurm/cluster.sh run [--nodes N] [--cpus N] COMMAND...   up, run a command with SLURM_CONF set, down; its exit status
#   slurm/cluster.sh up DIR [--nodes N] [--cpus N]           up; then: export SLURM_CONF=DIR/slurm.conf
#                        [--while PID]                       down by itself when that process is gone
#   slurm/cluster.sh down DIR                                down, DIR and all
#   slurm/cluster.sh kill-node DIR NODE                      ends one slurmd the hard way, as a machine that dies would
#
# N nodes are called n1 to nN [2]; each claims to have so many processors [4], however many there are.
# Debian and Ubuntu: apt-get install slurm-wlm munge
set -euo pipefail
# Where daemons are, which not every user has in PATH.
export PATH="$PATH:/usr/sbin:/sbin"

say() { echo "cluster.sh: $*" >&2; }
die() { say "$*"; exit 2; }

need() {
    local tool
    for tool in munged slurmctld slurmd sinfo; do
        command -v "$tool" >/dev/null || die "$tool is not in PATH: apt-get install slurm-wlm munge"
    done
}

# A stretch of ports that nobody listens on, below those that the system hands out.
free_ports() {
    local base try port busy
    for try in $(seq 50); do
        base=$((20000 + (RANDOM % 120) * 100))
        busy=0
        for port in $(seq "$base" $((base + 99))); do
            if ss -Hltn "sport = :$port" 2>/dev/null | grep -q . || grep -qi ":$(printf %04X "$port") 00000000:0000 0A" /proc/net/tcp; then
                busy=1
                break
            fi
        done
        [ "$busy" = 0 ] && { echo "$base"; return; }
    done
    die "no 100 free ports between 20000 and 32000"
}

configure() {
    local dir=$1 nodes=$2 cpus=$3 base=$4 host user node
    host=$(hostname -s)
    user=$(id -un)
    cat >"$dir/slurm.conf" <<CONF
ClusterName=thrille
# MPI libraries name shared memory after the job: another cluster's jobs, and their debris, must not have the same numbers.
FirstJobId=$((1 + RANDOM * 1000 + RANDOM % 1000))
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
# Loopback only.
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$base
SrunPortRange=$((base + 40))-$((base + 99))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
# One for each node, or the directories of PMIx collide.
TmpFS=$dir/tmp-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
TaskProlog=$dir/task-prolog
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
# A node that is gone is noticed within seconds; a job that does not end is killed within seconds.
SlurmdTimeout=10
KillWait=5
InactiveLimit=0
MinJobAge=300
CONF
    # Open MPI names shared memory after the rank within its node, and the nodes share one machine: each step has a directory of its own on each node, which no
    # other one that ends can take away. What killed jobs leave goes with the cluster.
    cat >"$dir/task-prolog" <<PROLOG
#!/bin/sh
mine=$dir/tmp-\$SLURMD_NODENAME/\$SLURM_JOB_ID-\$SLURM_STEP_ID
mkdir -p "\$mine"
echo "export OMPI_MCA_btl_vader_backing_directory=\$mine"
PROLOG
    chmod +x "$dir/task-prolog"
    for node in $(seq "$nodes"); do
        mkdir -p "$dir/spool-n$node" "$dir/tmp-n$node"
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + node)) CPUs=$cpus RealMemory=1000" >>"$dir/slurm.conf"
    done
    echo "PartitionName=all Nodes=n[1-$nodes] Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:4" >>"$dir/slurm.conf"
}

up() {
    local dir=$1 nodes=$2 cpus=$3 base node began
    need
    [ "$nodes" -ge 1 ] && [ "$nodes" -le 30 ] || die "--nodes $nodes: 1 to 30"
    mkdir -p "$dir"
    dir=$(cd "$dir" && pwd)
    [ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
    # A socket's path holds 107 characters.
    [ ${#dir} -le 80 ] || die "$dir is too long a path for a socket: choose one of at most 80 characters"
    chmod 700 "$dir"
    mkdir "$dir/state"
    base=$(free_ports)
    configure "$dir" "$nodes" "$cpus" "$base"
    (umask 077 && dd if=/dev/urandom of="$dir/munge.key" bs=1 count=1024 status=none)
    munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
        --log-file="$dir/munged.log" --seed-file="$dir/munged.seed" --num-threads=2 || die "munged does not start"
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -i -f "$SLURM_CONF" || { down "$dir"; die "slurmctld does not start"; }
    for node in $(seq "$nodes"); do
        slurmd -N "n$node" -f "$SLURM_CONF" || { down "$dir"; die "slurmd n$node does not start"; }
    done
    began=$SECONDS
    until [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = "$nodes" ]; do
        if [ $((SECONDS - began)) -gt 30 ]; then
            tail -n 20 "$dir"/*.log >&2
            sinfo -N -l >&2 || true
            down "$dir"
            die "the nodes did not come up within 30 s"
        fi
        sleep 0.1
    done
}

# The process whose number a file holds, if it is the one that was started.
ours() {
    local file=$1 name=$2 pid
    pid=$(cat "$file" 2>/dev/null) || return 1
    [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$name" ] && echo "$pid"
}

gone() {
    local pid=$1 patience=$2 began=$SECONDS
    while [ -e "/proc/$pid" ] && ! grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null; do
        [ $((SECONDS - began)) -lt "$patience" ] || return 1
        sleep 0.05
    done
}

end() {
    local pid=$1
    kill "$pid" 2>/dev/null || true
    gone "$pid" 5 || { kill -9 "$pid" 2>/dev/null || true; gone "$pid" 5 || say "process $pid does not end"; }
}

# The step managers of this cluster: their spool directory says so.
stepds() {
    local dir=$1 entry
    for entry in /proc/[0-9]*; do
        [ "$(cat "$entry/comm" 2>/dev/null)" = slurmstepd ] || continue
        if { tr '\0' '\n' <"$entry/environ"; } 2>/dev/null | grep -qx "SLURM_CONF=$dir/slurm.conf" \
            || ls -l "$entry/fd" 2>/dev/null | grep -q "$dir/"; then
            echo "${entry#/proc/}"
        fi
    done
}

# A process and all below it.
family() {
    local child
    for child in $(cat "/proc/$1/task/"*/children 2>/dev/null); do
        family "$child"
    done
    echo "$1"
}

down() {
    local dir=$1 file pid step
    [ -d "$dir" ] || die "there is no directory $dir"
    dir=$(cd "$dir" && pwd)
    [ -f "$dir/slurm.conf" ] || die "$dir holds no cluster"
    if pid=$(ours "$dir/slurmctld.pid" slurmctld); then
        # Jobs first, while somebody can end them.
        if [ -n "$(SLURM_CONF=$dir/slurm.conf timeout 5 squeue -h 2>/dev/null)" ]; then
            SLURM_CONF=$dir/slurm.conf timeout 5 scancel --full -u "$(id -un)" 2>/dev/null || true
            local began=$SECONDS
            while [ -n "$(SLURM_CONF=$dir/slurm.conf timeout 5 squeue -h 2>/dev/null)" ] && [ $((SECONDS - began)) -lt 8 ]; do
                sleep 0.1
            done
        fi
        end "$pid"
    fi
    for file in "$dir"/slurmd-*.pid; do
        if pid=$(ours "$file" slurmd); then end "$pid"; fi
    done
    for step in $(stepds "$dir"); do
        for pid in $(family "$step"); do
            kill -9 "$pid" 2>/dev/null || true
        done
    done
    if pid=$(ours "$dir/munged.pid" munged); then end "$pid"; fi
    rm -rf "$dir"
}

options() {
    nodes=2 cpus=4 while=
    while [ $# -gt 0 ]; do
        case $1 in
        --nodes) nodes=${2:?--nodes takes a number}; shift 2 ;;
        --cpus) cpus=${2:?--cpus takes a number}; shift 2 ;;
        --while) while=${2:?--while takes a process}; shift 2 ;;
        --) shift; break ;;
        -*) die "there is no option $1" ;;
        *) break ;;
        esac
    done
    rest=("$@")
}

case ${1:-} in
up)
    [ $# -ge 2 ] || die "up takes a directory"
    dir=$2
    options "${@:3}"
    up "$dir" "$nodes" "$cpus"
    [ -z "$while" ] || setsid "$0" watch "$dir" "$while" </dev/null >/dev/null 2>&1 &
    ;;
watch)
    while [ -d "/proc/$3" ] && [ -d "$2" ]; do sleep 0.5; done
    [ -d "$2" ] && down "$2"
    ;;
down)
    [ $# = 2 ] || die "down takes a directory"
    down "$2"
    ;;
kill-node)
    [ $# = 3 ] || die "kill-node takes a directory and a node"
    pid=$(ours "$2/slurmd-$3.pid" slurmd) || die "no slurmd of node $3 runs below $2"
    kill -9 "$pid"
    ;;
run)
    options "${@:2}"
    [ ${#rest[@]} -gt 0 ] || die "run takes a command"
    dir=$(mktemp -d "${TMPDIR:-/tmp}/thrille-slurm-XXXXXX")
    trap 'down "$dir"' EXIT
    trap 'exit 130' INT TERM HUP
    up "$dir" "$nodes" "$cpus"
    status=0
    SLURM_CONF=$dir/slurm.conf "${rest[@]}" || status=$?
    exit "$status"
    ;;
*)
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
