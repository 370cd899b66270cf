# Sourced. Reads the head of each file in guest/scenario, the comments before its first line of code. A line with
# further indentation continues the line before.
#   Does: TEXT           the row of README.md's table
#   Runs: NAME...        the runs that include it by default
#   Fits: WHAT VALUE...  conditions on a run, separated by ";". WHAT is `version`, `proto`, `server`, `backend` or
#                        `kernel`, and the run must have one of the values. `alone` means a boot of its own, because
#                        the guest does not survive the scenario, or the server has to be another one
#   Wants: WORD          what the run has to provide, separated by ";"
#     realm              a KDC, keytabs and users of Kerberos
#     locks              NLM and NSM on both sides
#     partner            a second guest
#     dataservers        data servers of pNFS
#     cluster            a cluster of the server and its data servers, so that layouts have fences
#     unprivileged       a server that is an ordinary user without capabilities
#     certificates       an authority, certificates of server and client, and tlshd
#   Excused: WORD        events that would otherwise be faults, separated by ";":
#     reconnects         the client's transport connected again and sent calls again
#     server-gone        the client's kernel reported that the server is gone and is back
#     cut-off            a connection ended in the middle of an FPDU or a record
#     terminates=N       the server ended at most N connections by a Terminate
#     connections=N      there were at least N connections
#     unanswered=N       at most N MPA requests had no reply
# shellcheck shell=bash disable=SC2154

# The order in one run. Scenarios that end the server are late, and the one that ends the guest is last.
all_scenarios='files bulk names sharing locks nconnect nconnect16 direct fio v42 readplus trunking replies acl delegation clients stopped metadata owners resets restart drained exports portmapper locks3 killed locks3guests krb tls pnfs fenced'

# scenario_says NAME FIELD: prints the field of that scenario. Prints nothing if the field or the scenario does not
# exist; the verbs runs have no scenarios.
scenario_says() {
  [ -e "$here/guest/scenario/$1" ] || return 0
  sed -n -e '/^[^#]/q; /^$/q' -e 's/^# //p' "$here/guest/scenario/$1" |
    awk -v field="$2:" '/^[^ ]/ { on = $1 == field; if (on) sub(/^[^ ]* */, "") } on { sub(/^ +/, ""); printf "%s%s", n++ ? " " : "", $0 }'
}

# scenario_excuses NAME WORD: whether that scenario excuses WORD; prints the number if the word has one
scenario_excuses() {
  local word words
  IFS=';' read -r -a words <<<"$(scenario_says "$1" Excused)"
  for word in "${words[@]}"; do
    word=${word# }
    case $word in
      "$2") return 0 ;;
      "$2"=*) echo "${word#*=}"; return 0 ;;
    esac
  done
  return 1
}

# one_excuses WORD NAME...: whether one of these scenarios excuses WORD
one_excuses() {
  local word=$1 scenario
  shift
  for scenario; do ! scenario_excuses "$scenario" "$word" >/dev/null || return 0; done
  return 1
}

# scenario_fits NAME: whether the scenario fits this run, given $version, $proto, $server, $backend and $kernel
scenario_fits() {
  local condition conditions words
  IFS=';' read -r -a conditions <<<"$(scenario_says "$1" Fits)"
  for condition in "${conditions[@]}"; do
    read -r -a words <<<"$condition"
    case ${words[0]} in
      version | proto | server | backend | kernel) [[ " ${words[*]:1} " = *" ${!words[0]} "* ]] || return 1 ;;
      alone) ;;
      *) echo "scenario $1 fits what nobody knows: $condition" >&2; return 1 ;;
    esac
  done
}

# scenario_wants NAME WORD: whether the scenario wants it of the run
scenario_wants() { [[ "; $(scenario_says "$1" Wants);" = *"; $2;"* ]]; }

scenario_is_alone() { [[ "; $(scenario_says "$1" Fits);" = *'; alone;'* ]]; }

# scenarios_of_run NAME: prints the scenarios of that run in order
scenarios_of_run() {
  local scenario found=()
  for scenario in $all_scenarios; do [[ " $(scenario_says "$scenario" Runs) " != *" $1 "* ]] || found+=("$scenario"); done
  echo "${found[*]}"
}

# all_runs: prints the names of all runs that scenarios name, sorted
all_runs() {
  local scenario
  for scenario in $all_scenarios; do scenario_says "$scenario" Runs; echo; done | tr ' ' '\n' | sort -u
}

# scenario_tables: prints the two tables of README.md
scenario_tables() {
  local scenario run
  printf '%s\n' '| scenario | what the client does |' '|---|---|'
  for scenario in $all_scenarios; do echo "| \`$scenario\` | $(scenario_says "$scenario" Does) |"; done
  printf '%s\n' '' 'Not every run does all of it. What is named by `--scenario` is done in each run that it fits; without it:' '' \
    '| run | scenarios |' '|---|---|'
  for run in $(all_runs); do echo "| \`$run\` | $(scenarios_of_run "$run") |"; done
}

# scenarios_amiss README: prints what is wrong with the heads of scenarios, and with the tables made from them
scenarios_amiss() {
  local scenario file field
  for file in "$here"/guest/scenario/*; do
    scenario=${file##*/}
    [[ " $all_scenarios " = *" $scenario "* ]] || echo "$scenario has no place in the order"
    for field in Does Runs; do [ -n "$(scenario_says "$scenario" $field)" ] || echo "$scenario says no $field"; done
  done
  for scenario in $all_scenarios; do [ -e "$here/guest/scenario/$scenario" ] || echo "there is no scenario $scenario"; done
  diff <(scenario_tables) <(sed -n '/<!-- made of the scenarios/,/<!-- end -->/{//!p}' "$1") >/dev/null ||
    echo 'the tables of README.md are not what the scenarios say: deploy/interop/tables writes them'
}
