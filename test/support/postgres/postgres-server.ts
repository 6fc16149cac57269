import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { findFreePort } from '../free-port.ts'

const run = promisify(execFile)

/** Where Debian keeps the programs of the newest installed server. */
const programs = newestIn('/usr/lib/postgresql')

const restartLimitMs = 60_000

/** Why tests on PostgreSQL are left out here, or false; where every suite must run (SEPIA_CI) they fail instead. */
export const withoutPostgres: string | false =
  programs === undefined && process.env.SEPIA_CI === undefined ? 'install PostgreSQL (apt-get install postgresql) to run this' : false

/** A PostgreSQL server of a test's own: durable, on a free port, gone with the test. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number
  /** Of a database by its name; `postgres` is always there. */
  url(database: string): string
  /** Runs one statement, as its superuser, in the database `postgres` or another. */
  query(sql: string, database?: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Ends it as a crash does, without a word to anybody. */
  kill(): Promise<void>
  /** Starts it again, on the same port; resolves when it accepts connections. */
  start(): Promise<void>
  /** Its main process. */
  readonly pid: () => number
}

/**
 * Starts an empty server, or one that follows another until it is promoted (`select pg_promote()`).
 *
 * @param options.settings Such as `max_connections=50`.
 * @param options.onDisk Whether its commits wait for a real disk, for those who measure.
 */
export async function startPostgres({
  settings = [],
  onDisk = false,
  standbyOf,
}: {
  readonly settings?: readonly string[]
  readonly onDisk?: boolean
  readonly standbyOf?: PostgresServer
} = {}): Promise<PostgresServer> {
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  const folder = await mkdtemp(join(onDisk ? tmpdir() : quickFolder(), 'sepia-postgres-'))
  const user = await userOfServer(folder)
  const [program, how] =
    standbyOf === undefined
      ? ['initdb', ['--auth=trust', '--no-locale', '-E', 'UTF8']]
      : ['pg_basebackup', ['-h', '127.0.0.1', '-p', String(standbyOf.port), '-R', '-c', 'fast']]
  await run(join(programs, program), ['-D', folder, '-U', 'postgres', '--no-sync', ...how], { ...user, cwd: folder })
  const port = await findFreePort()
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  let server = launch()

  function launch() {
    const options = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${folder}`, 'shared_buffers=128MB', ...settings]
    const child = spawn(join(programs ?? '', 'postgres'), ['-D', folder, ...options.flatMap((each) => ['-c', each])], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    })
    return { child, ended: once(child, 'exit') }
  }

  const ready = async () => {
    for (;;) {
      const client = new Client({ connectionString: url('postgres') })
      client.on('error', () => {})
      try {
        await client.connect()
        return
      } catch (error) {
        if (server.child.exitCode !== null) throw new Error('PostgreSQL did not start.', { cause: error })
        await new Promise((resolve) => setTimeout(resolve, 20))
      } finally {
        await client.end().catch(() => {})
      }
    }
  }
  const stop = async (signal: NodeJS.Signals) => {
    if (server.child.exitCode === null && server.child.signalCode === null) server.child.kill(signal)
    await server.ended
  }
  const leave = () => {
    server.child.kill('SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', leave)
  await ready()
  return {
    port,
    url,
    async query(sql, database = 'postgres') {
      const client = new Client({ connectionString: url(database) })
      await client.connect()
      try {
        return (await client.query(sql)).rows
      } finally {
        await client.end()
      }
    },
    pid: () => server.child.pid ?? 0,
    kill: () => stop('SIGKILL'),
    async start() {
      // The remaining processes of a killed server need a moment to release its memory.
      for (const until = performance.now() + restartLimitMs; ; ) {
        server = launch()
        try {
          return await ready()
        } catch (error) {
          if (performance.now() > until) throw error
        }
      }
    },
    async [Symbol.asyncDispose]() {
      process.off('exit', leave)
      await stop('SIGINT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Memory where there is enough of it: a server syncs every commit, and tests make many. */
function quickFolder(): string {
  if (!existsSync('/dev/shm')) return tmpdir()
  const { bavail, bsize } = statfsSync('/dev/shm')
  return bavail * bsize > 2 ** 30 ? '/dev/shm' : tmpdir()
}

/** PostgreSQL refuses to run as root; as root it runs as the user that its package made. */
async function userOfServer(folder: string): Promise<{ readonly uid?: number; readonly gid?: number }> {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  const [uid, gid] = [id('-u'), id('-g')]
  await chown(folder, uid, gid)
  return { uid, gid }
}

function newestIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined
  const versions = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'bin/initdb')))
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0]
  return newest === undefined ? undefined : join(folder, newest, 'bin')
}
