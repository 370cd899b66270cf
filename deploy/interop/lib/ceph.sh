# Sourced. The cluster of Ceph for --backend ceph: a monitor, a manager, two OSDs that keep each object twice in memory,
# and a metadata server, on the loopback of the run's namespace. It begins with the run and ends with it.
# shellcheck shell=bash disable=SC2154

ceph_programs='ceph ceph-mon ceph-mgr ceph-osd ceph-mds monmaptool'
ceph_metadata_id='' ceph_monitor_id='' ceph_osd_ids=() ceph_ids=()

# ceph_missing: prints what is wrong with this host
ceph_missing() {
  local program
  for program in $ceph_programs; do
    command -v "$program" >/dev/null || { echo "there is no $program: install ceph-mon, ceph-mgr, ceph-osd, ceph-mds, ceph-common and libcephfs2"; return; }
  done
  # Not grep -q: it would end before ldconfig has written all, which then fails.
  ldconfig -p | grep 'libcephfs\.so\.2' >/dev/null || echo 'there is no libcephfs.so.2: install libcephfs2'
}

ceph_do() { timeout 60 ceph -c "$directory/ceph/ceph.conf" "$@" >>"$directory/ceph.log" 2>&1; }

# ceph_daemon PROGRAM ID: starts a daemon and sets $id
ceph_daemon() {
  start "$1" "$1" -c "$directory/ceph/ceph.conf" -f -i "$2" >>"$directory/ceph.log" 2>&1
  ceph_ids+=("$id")
}

ceph_active() { timeout 20 ceph -c "$directory/ceph/ceph.conf" mds stat 2>/dev/null | grep -q up:active; }

# ceph_start: makes the cluster and returns when its file system `files` is served; prints what is wrong
ceph_start() {
  ceph_make || { echo "the cluster: $(tail -n 1 "$directory/ceph.log")"; return 1; }
  until_true 60 ceph_active || { echo 'no metadata server has become active'; return 1; }
}

ceph_make() {
  local top=$directory/ceph address='[v2:127.0.0.1:3300,v1:127.0.0.1:6789]' fsid osd part number
  fsid=$(cat /proc/sys/kernel/random/uuid)
  for part in mon osd0 osd1 mds mgr; do mkdir -p "$top/$part"; done
  # An admin socket would need a short path.
  cat >"$top/ceph.conf" <<END
[global]
fsid = $fsid
mon host = $address
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 2
osd pool default min size = 1
osd pool default pg autoscale mode = off
mon allow pool size one = true
osd crush chooseleaf type = 0
pid file =
admin socket =
log file =
crash dir = $top
[mon]
mon data = $top/mon
mon cluster log file = $top/cluster.log
mon data avail warn = 2
mon data avail crit = 1
auth allow insecure global id reclaim = false
mon osd down out interval = 0
mon osd min down reporters = 1
mon osd reporter subtree level = osd
[osd]
osd data = $top/osd\$id
osd objectstore = memstore
memstore device bytes = 4294967296
osd crush update on start = false
[mgr]
mgr data = $top/mgr
mgr initial modules =
[mds]
mds data = $top/mds
mds cache memory limit = 134217728
END
  monmaptool --create --fsid "$fsid" --addv a "$address" "$top/monmap" >>"$directory/ceph.log" 2>&1 &&
    ceph-mon -c "$top/ceph.conf" --mkfs -i a --monmap "$top/monmap" >>"$directory/ceph.log" 2>&1 || return
  ceph_daemon ceph-mon a
  ceph_monitor_id=$id
  # Without a manager the cluster does not know how much room it has.
  ceph_daemon ceph-mgr a
  for number in 0 1; do
    osd=$(cat /proc/sys/kernel/random/uuid)
    ceph_do osd new "$osd" $number &&
      ceph-osd -c "$top/ceph.conf" -i $number --mkfs --osd-uuid "$osd" >>"$directory/ceph.log" 2>&1 || return
    ceph_daemon ceph-osd $number
    ceph_osd_ids[number]=$id
    ceph_do osd crush add osd.$number 1.0 root=default host=here || return
  done
  ceph_do osd pool create metadata 8 && ceph_do osd pool create data 8 && ceph_do fs new files metadata data || return
  ceph_metadata_start
}

ceph_metadata_start() {
  ceph_daemon ceph-mds a
  ceph_metadata_id=$id
}

# ceph_metadata_replace SECONDS: kills the metadata server, and starts another after that time; returns when it serves
ceph_metadata_replace() {
  stop "$ceph_metadata_id" KILL || true
  sleep "$1"
  ceph_metadata_start
  until_true 90 ceph_active
}

# ceph_monitor_pause SECONDS: kills the monitor, and starts it again after that time; returns when it answers
ceph_monitor_pause() {
  stop "$ceph_monitor_id" KILL || true
  sleep "$1"
  ceph_daemon ceph-mon a
  ceph_monitor_id=$id
  until_true 90 ceph_active
}

# ceph_osd_kill: kills an OSD, whose objects are lost with it; returns when the cluster knows
ceph_osd_kill() {
  stop "${ceph_osd_ids[0]}" KILL || true
  until_true 90 ceph_one_osd
}

ceph_one_osd() { timeout 20 ceph -c "$directory/ceph/ceph.conf" osd stat 2>/dev/null | grep -q ' 1 up'; }

# ceph_stop: ends the cluster
ceph_stop() {
  local pid
  for pid in "${ceph_ids[@]}"; do stop "$pid" KILL || true; done
  ceph_ids=() ceph_osd_ids=()
  rm -rf "$directory/ceph"
}
