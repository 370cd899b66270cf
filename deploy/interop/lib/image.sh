# Sourced. The container image that deploy/container/build makes, run as docs/operate.md says: nothing that it could
# write to but its volumes.
# shellcheck shell=bash disable=SC2154

image_user=65532
image_name=warpnfs-lab

# image_engine DIRECTORY: where images and containers are kept, apart from all that this host's podman knows
image_engine() {
  export CONTAINER_ENGINE="podman --root $1/podman/storage --runroot $1/podman/run --tmpdir $1/podman/tmp --storage-driver vfs \
--runtime runc --cgroup-manager cgroupfs --events-backend none"
}

# image_build TREE: without network, since deploy/interop/build has made the base. Its last line says how large it is.
image_build() { "$1/deploy/container/build" --base-tar "$1/deploy/interop/out/base.tar"; }

# image_run EXPORT STATE OPTION... -- ARGUMENT...: becomes podman; the network is the caller's
image_run() {
  local export=$1 state=$2 options=() engine
  shift 2
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  read -r -a engine <<<"$CONTAINER_ENGINE"
  exec "${engine[@]}" run --rm --name $image_name --network host --cap-drop all --security-opt no-new-privileges --read-only \
    --read-only-tmpfs=false --ulimit nofile=16384:16384 --ulimit nproc=16384:16384 -e WARPNFS_JAVA_OPTS \
    -v "$export:/export" -v "$state:/state" "${options[@]}" localhost/warpnfs:latest "$@"
}

# image_kill: by SIGKILL, the server itself
image_kill() {
  local engine
  read -r -a engine <<<"$CONTAINER_ENGINE"
  "${engine[@]}" kill -s KILL $image_name >/dev/null
}

# image_pid: of the server
image_pid() {
  local engine
  read -r -a engine <<<"$CONTAINER_ENGINE"
  "${engine[@]}" inspect --format '{{.State.Pid}}' $image_name
}

# image_remove: whatever is left of it
image_remove() {
  local engine
  read -r -a engine <<<"${CONTAINER_ENGINE:-}"
  [ ${#engine[@]} = 0 ] || "${engine[@]}" rm -f -t 0 $image_name >/dev/null 2>&1 || true
}
