import { readFileSync } from 'node:fs'

/** Descriptors for the database, the log, engines, their start, and files that are read and written. */
const reserve = 64

/** File descriptors that this process may have open at once; null where the system does not report it, as outside Linux. Node has raised the soft limit to the hard one. */
export function mostDescriptors(read: () => string = () => readFileSync('/proc/self/limits', 'utf8')): number | null {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(read())?.[1]
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/**
 * Connections that clients may have open in all, so that descriptors are left for what the service opens itself: every third connection may need one more, to a
 * server that runs its model or to a file.
 *
 * @returns null = no limit is known.
 */
export function mostConnections(descriptors: number | null): number | null {
  return descriptors === null ? null : Math.max(8, Math.floor((descriptors - reserve) * 0.75))
}

/** What to change where descriptors run out before connections are refused as the settings say; null = nothing. */
export function warnOfDescriptors(descriptors: number | null, connectionsPerAddress: number | null): string | null {
  const connections = mostConnections(descriptors)
  const wanted = Math.max(connectionsPerAddress ?? 0, 500)
  if (connections === null || connections >= wanted) return null
  return `This process may open ${descriptors} files at once (nofile), which leaves ${connections} connections for clients; raise it to ${Math.ceil(wanted / 0.75) + reserve} or more with ulimit -n or LimitNOFILE.`
}
