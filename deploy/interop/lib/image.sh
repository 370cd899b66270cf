# Sourced. Runs the container image of deploy/container/build as docs/operate.md says. It can write to its volumes only.
# shellcheck shell=bash disable=SC2154

image_user=65532
image_name=warpnfs-lab

# image_engine DIRECTORY: keeps images and containers below DIRECTORY, apart from those of this host's podman
image_engine() {
  export CONTAINER_ENGINE="podman --root $1/podman/storage --runroot $1/podman/run --tmpdir $1/podman/tmp --storage-driver vfs \
--runtime runc --cgroup-manager cgroupfs --events-backend none"
}

# image_build TREE: builds the image without network, since deploy/interop/build has made the base. The last line of its
# output is the size of the image.
image_build() { "$1/deploy/container/build" --base-tar "$1/deploy/interop/out/base.tar"; }

# image_run EXPORT STATE OPTION... -- ARGUMENT...: replaces this shell by podman, with the network of the caller
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

# image_kill: kills the server itself by SIGKILL
image_kill() {
  local engine
  read -r -a engine <<<"$CONTAINER_ENGINE"
  "${engine[@]}" kill -s KILL $image_name >/dev/null
}

# image_pid: prints the server's process id
image_pid() {
  local engine
  read -r -a engine <<<"$CONTAINER_ENGINE"
  "${engine[@]}" inspect --format '{{.State.Pid}}' $image_name
}

# image_remove: removes whatever is left of the container
image_remove() {
  local engine
  read -r -a engine <<<"${CONTAINER_ENGINE:-}"
  [ ${#engine[@]} = 0 ] || "${engine[@]}" rm -f -t 0 $image_name >/dev/null 2>&1 || true
}
