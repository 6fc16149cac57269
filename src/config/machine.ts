import { readFileSync } from 'node:fs'

/** Properties of machine and terminal from which defaults are derived. */
export interface Machine {
  /** Number of processor cores this process may use. */
  readonly cores: number
  /** Number of physical cores among them; absent = unknown, or the same. */
  readonly physicalCores?: number | undefined
  /** Memory this process may use, in bytes. */
  readonly memoryBytes: number
  /** Whether standard output is a terminal. */
  readonly terminal: boolean
  /** Absolute base of relative paths in flags and environment. */
  readonly folder: string
}

/** Reads a Linux file about the processor; null = not available. */
type ReadFact = (path: string) => string | null

/**
 * Counts the physical cores available to this process: two threads of a core share its arithmetic units, so that a model gains nothing from
 * the second.
 *
 * @returns null = unknown, as outside Linux.
 * @see Linux's Documentation/ABI/stable/sysfs-devices-system-cpu: `topology/core_cpus_list`
 */
export function countPhysicalCores(read: ReadFact = readFact): number | null {
  const allowed = /^Cpus_allowed_list:\s*(\S+)$/m.exec(read('/proc/self/status') ?? '')?.[1]
  if (allowed === undefined) return null
  const cores = parseList(allowed).map((cpu) => read(`/sys/devices/system/cpu/cpu${cpu}/topology/core_cpus_list`))
  return cores.length === 0 || cores.includes(null) ? null : new Set(cores).size
}

/** Parses a list such as `0-3,8`. */
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
