import { readFileSync } from 'node:fs'

/** What the machine and terminal offer; defaults are derived from it. */
export interface Machine {
  /** Processor cores this process may use. */
  readonly cores: number
  /** Of these, those that are not a second thread of another one; absent = the system does not report it, or there are none. */
  readonly physicalCores?: number
  /** Bytes of memory this process may use. */
  readonly memoryBytes: number
  /** Whether standard output is a terminal that a person reads. */
  readonly terminal: boolean
  /** Absolute folder that relative paths of flags and environment start from. */
  readonly folder: string
}

/** Reads a file of Linux's that says something about the processor; null where there is none. */
type ReadFact = (path: string) => string | null

/**
 * Physical cores that this process may run on: two threads of one core share its arithmetic, so that a model gains nothing from the second.
 *
 * @returns null where the system does not report it, as outside Linux.
 * @see Linux's Documentation/ABI/stable/sysfs-devices-system-cpu: `topology/core_cpus_list`
 */
export function countPhysicalCores(read: ReadFact = readFact): number | null {
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(read('/proc/self/status') ?? '')?.[1]
  if (allowed === undefined) return null
  const cores = parseList(allowed).map((cpu) => read(`/sys/devices/system/cpu/cpu${cpu}/topology/core_cpus_list`))
  return cores.length === 0 || cores.includes(null) ? null : new Set(cores).size
}

/** The numbers of a list such as `0-3,8`. */
function parseList(list: string): readonly number[] {
  return list.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    return Array.from({ length: Math.max(0, last - first + 1) || 0 }, (_, index) => first + index)
  })
}

function readFact(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
