import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { findFreePort } from '../free-port.ts'

const program = '/usr/sbin/pgbouncer'

/** Why tests of poolers are skipped here, or false. */
export const withoutPooler: string | false = existsSync(program) ? false : 'install PgBouncer (apt-get install pgbouncer) to run this'

/** A PgBouncer before a server of PostgreSQL; gone with the test. */
export async function startPooler(
  target: string,
  { mode, ignoresOptions }: { readonly mode: 'session' | 'transaction'; readonly ignoresOptions: boolean },
): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'sepia-pooler-'))
  await chmod(folder, 0o755)
  const port = await findFreePort()
  const { port: serverPort, pathname, username } = new URL(target)
  const database = pathname.slice(1)
  const settings = [
    '[databases]',
    `${database} = host=127.0.0.1 port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    ...(ignoresOptions ? ['ignore_startup_parameters = options'] : []),
  ]
  const file = join(folder, 'pooler.ini')
  await writeFile(file, settings.join('\n'))
  const child = spawn(program, [...(process.getuid?.() === 0 ? ['-u', 'postgres'] : []), file], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  const url = `postgres://${username}@127.0.0.1:${port}/${database}`
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      return { url, [Symbol.asyncDispose]: stop }
    } catch (error) {
      if (child.exitCode !== null) throw new Error('PgBouncer did not start.', { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    } finally {
      await client.end().catch(() => {})
    }
  }
}
