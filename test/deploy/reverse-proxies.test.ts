import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { findFreePort } from '../support/free-port.ts'
import { type HttpService, startHttpService } from '../support/http-service.ts'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

interface Place {
  readonly folder: string
  readonly port: number
  readonly upstream: string
}

/** How each proxy of `deploy/` is started, which returns when it listens, and stopped. */
const proxies: Readonly<
  Record<string, (place: Place) => Promise<{ readonly start: readonly string[]; readonly stop: readonly string[] }>>
> = {
  nginx: async ({ folder, port, upstream }) => {
    const site = (await readFile('deploy/nginx.conf', 'utf8'))
      .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
      .replaceAll(/^ *ssl_.*$/gm, '')
      .replace('127.0.0.1:8080', upstream)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')
    // With compression, as Debian switches it on, what a buffering nginx holds back is seen at once.
    const gzip = 'gzip on;\ngzip_types *;\ngzip_proxied any;\ngzip_min_length 0;'
    const file = join(folder, 'nginx.conf')
    await writeFile(
      file,
      `pid ${folder}/pid;\nerror_log ${folder}/log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${gzip}\n${site}\n}\n`,
    )
    const command = ['nginx', '-c', file, '-e', join(folder, 'log')]
    return { start: command, stop: [...command, '-s', 'stop'] }
  },
  caddy: async ({ folder, port, upstream }) => {
    const site = (await readFile('deploy/Caddyfile', 'utf8'))
      .replace(/^sepia\.example/m, `http://127.0.0.1:${port}`)
      .replace('127.0.0.1:8080', upstream)
    const file = join(folder, 'Caddyfile')
    const admin = `unix/${folder}/admin`
    await writeFile(file, `{\nadmin ${admin}\n}\n${site}`)
    return {
      start: ['caddy', 'start', '--config', file, '--adapter', 'caddyfile', '--pidfile', join(folder, 'pid')],
      stop: ['caddy', 'stop', '--address', admin],
    }
  },
}

describe('reverse proxies in deploy/', () => {
  for (const [name, prepare] of Object.entries(proxies))
    test(`${name} streams a chat, and forwards each event at once`, { skip: !isThere(name) && `no ${name} here` }, async () => {
      await using folder = await createTemporaryFolder()
      await mkdir(join(folder.path, 'home'))
      const received = Promise.withResolvers<void>()
      await using service: HttpService = await startHttpService({
        extend: async (server) => {
          server.get('/held', (_, reply) => {
            reply.hijack()
            reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
            reply.raw.write('data: first\n\n')
            // The rest comes only once the first has been heard at the other end.
            void received.promise.then(() => reply.raw.end('data: last\n\n'))
          })
        },
      })
      const port = await findFreePort()
      const { start, stop } = await prepare({ folder: folder.path, port, upstream: new URL(service.url).host })
      run(start, folder.path)
      try {
        const url = `http://127.0.0.1:${port}`
        // One that holds the first event back would wait for ever for the second.
        const held = await fetch(`${url}/held`, { signal: AbortSignal.timeout(300_000) })
        const pieces: string[] = []
        for await (const bytes of held.body ?? []) {
          pieces.push(Buffer.from(bytes).toString())
          received.resolve()
        }
        assert.equal(pieces[0], 'data: first\n\n')
        const chat = await fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'fake-chat', stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
        })
        assert.equal(chat.status, 200)
        assert.match(await chat.text(), /data: \[DONE\]\n\n$/)
      } finally {
        run(stop, folder.path)
      }
    })
})

function isThere(command: string): boolean {
  return spawnSync(command, [command === 'nginx' ? '-v' : 'version']).error === undefined
}

function run([command = '', ...args]: readonly string[], home: string): void {
  const { status, error } = spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, HOME: home, XDG_DATA_HOME: home } })
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? status}`)
}
