import { readFileSync } from 'node:fs'

/** Descriptors reserved for the database, the log, engines and files. */
const reserve = 64

/** Limit of open file descriptors of this process; null = unknown, as outside Linux. Node raises the soft limit to the hard one. */
export function maxDescriptors(read: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(read())?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/**
 * Maximum number of client connections, leaving descriptors for the service: every third connection may need another, to an upstream or a
 * file.
 *
 * @returns null = no known limit.
 */
export function maxConnections(descriptors: number | null): number | null {
  return descriptors === null ? null : Math.max(8, Math.floor((descriptors - reserve) * 0.75))
}

/** A warning if descriptors run out before the configured connections; null = none. */
export function warnOfDescriptors(descriptors: number | null, connectionsPerAddress: number | null): string | null {
  const connections = maxConnections(descriptors)
  const wanted = Math.max(connectionsPerAddress ?? 0, 500)
  if (connections === null || connections >= wanted) return null
  return `This process may open ${descriptors} files at once (nofile), which leaves ${connections} connections for clients; raise it to ${Math.ceil(wanted / 0.75) + reserve} or more with ulimit -n or LimitNOFILE.`
}
