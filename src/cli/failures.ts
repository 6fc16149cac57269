import type { ConfigFault } from '../config/load-config.ts'
import { sqliteCode } from '../core/sqlite-code.ts'

/** The command line cannot be executed; every fault names the fix. Exit code 2. */
export class UsageError extends Error {
  readonly faults: readonly ConfigFault[]

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ where, message }) => `${where}: ${message}`).join('\n'))
    this.name = 'UsageError'
    this.faults = faults
  }
}

/** The message for a failed command: the fault and, if known, the fix. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return describeSystemError(error) ?? (isMistake(error) ? (error.stack ?? error.message) : error.message)
}

interface SystemError extends Error {
  readonly code?: unknown
  readonly address?: unknown
  readonly hostname?: unknown
  readonly port?: unknown
  readonly path?: unknown
  readonly syscall?: unknown
}

function describeSystemError(error: SystemError): string | undefined {
  const { code, address, hostname, port, path, syscall } = error
  if (code === 'EADDRINUSE') return `${address}:${port} is in use; stop the other program, or choose another --port (0 takes any free one).`
  if (code === 'ENOTFOUND' && hostname !== undefined)
    return `${hostname} is not a known name or address; correct it, for example in --host.`
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${address}; choose another --host.`
  if (code === 'EACCES' && port !== undefined) return `This user may not listen on port ${port}; choose a --port of 1024 or more.`
  if ((code === 'EACCES' || code === 'EROFS') && path !== undefined)
    return `${path} is not writable for this user; change its permissions or choose another --data.`
  if ((code === 'EEXIST' || code === 'ENOTDIR') && path !== undefined) return `${path} is not a folder; choose another --data.`
  if (code === 'EISDIR' && path !== undefined) return `${path} is a folder instead of a file; move it away.`
  if (code === 'ENOENT' && syscall === 'mkdir') return `${path} cannot be created; choose another --data.`
  // SQLite's SQLITE_FULL.
  if (code === 'ENOSPC' || sqliteCode(error) === 13) return 'The disk is full or out of inodes (df -i); free some space and try again.'
  // SQLITE_CORRUPT and SQLITE_NOTADB.
  if ([11, 26].includes(sqliteCode(error))) return 'The database is damaged; run sepia doctor, and restore a backup with sepia restore.'
  return undefined
}

/** Whether an error is a bug, which only its stack explains. */
function isMistake(error: Error): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind)
}
