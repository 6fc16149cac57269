import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cp, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createTemporaryFolder } from '../support/temporary-folder.ts'

for (const program of ['buildah', 'debootstrap'])
  if (spawnSync(program, ['--version']).error !== undefined) {
    console.log(`The image was not tried: it takes root, buildah and debootstrap, and there is no ${program}.`)
    process.exit(process.env.SEPIA_CI === undefined ? 0 : 1)
  }

// Builds the image of deploy/Dockerfile as root, without a Docker engine, with buildah and debootstrap from Debian, and has it answer a chat
// and a picture. What the image begins with, node:24-bookworm-slim, is made here: Debian 12, this checkout's Node and this machine's npm.
const base = 'docker.io/library/node:24-bookworm-slim'
await using folder = await createTemporaryFolder()
const storage = ['--root', join(folder.path, 'storage'), '--runroot', join(folder.path, 'run'), '--storage-driver', 'vfs']
const run = (command: string, ...args: readonly string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 2 ** 26 }).trim()
const buildah = (...args: readonly string[]): string => run('buildah', ...storage, ...args)

const root = join(folder.path, 'root')
run('debootstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', root)
await cp(process.execPath, join(root, 'usr/local/bin/node'), { dereference: true })
await cp(join(run('sh', '-c', 'readlink -f "$(command -v npm)"'), '../..'), join(root, 'usr/local/lib/node_modules/npm'), {
  recursive: true,
})
for (const name of ['npm', 'npx']) await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(root, 'usr/local/bin', name))
const certificates = '/etc/ssl/certs/ca-certificates.crt'
await cp(certificates, join(root, certificates))
run('chroot', root, 'useradd', '--uid', '1000', '--create-home', 'node')
const empty = buildah('from', 'scratch')
buildah('add', '--quiet', empty, root, '/')
buildah('config', '--env', `NODE_EXTRA_CA_CERTS=${certificates}`, empty)
buildah('commit', '--quiet', empty, base)

const build = (...flags: readonly string[]): string =>
  buildah('bud', '--quiet', '--isolation', 'chroot', '--format', 'docker', '--pull-never', '--file', 'deploy/Dockerfile', ...flags, '.')
const container = buildah('from', '--pull-never', build('--tag', 'sepia'))
const config: { User: string; Volumes: object; Entrypoint: readonly string[]; Cmd: readonly string[]; Env: readonly string[] } = JSON.parse(
  buildah('inspect', '--type', 'container', container),
).Docker.config
assert.equal(config.User, 'node')
assert.deepEqual(Object.keys(config.Volumes), ['/data'])

const mounted = buildah('mount', container)
const marker = join(folder.path, 'marker')
await writeFile(marker, '')
const service = spawn(
  'buildah',
  [...storage, 'run', '--isolation', 'chroot', '--user', config.User, container, '--', ...config.Entrypoint, ...config.Cmd, '--port', '0'],
  { stdio: ['ignore', 'pipe', 'inherit'], detached: true },
)
const ended = once(service, 'exit')
try {
  let greeting = ''
  for await (const line of createInterface({ input: service.stdout })) {
    greeting += `${line}\n`
    if (line.startsWith('ready ')) break
  }
  const [, url = ''] = /^ready (\S+)$/m.exec(greeting) ?? []
  const [, token = ''] = /TOKEN=(sepia_\w+)/.exec(greeting) ?? []
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const ask = async (path: string, body: object) => fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  const chat = await ask('/v1/chat/completions', {
    model: 'sepia-mini-chat',
    messages: [{ role: 'user', content: 'Hello!' }],
    max_tokens: 8,
  })
  assert.equal(chat.status, 200, await chat.text())
  const picture = await ask('/generate/sdxl', { prompt: 'a tiger', steps: 2, seed: 1 })
  assert.equal(picture.status, 200)
  for (const page of ['console/', 'docs/first-model', 'docs/api']) assert.equal((await fetch(`${url}/${page}`)).status, 200, page)
} finally {
  if (service.pid !== undefined) process.kill(-service.pid, 'SIGTERM')
  await ended
}
// Its root may be read-only.
const written = run(
  'find',
  mounted,
  '-xdev',
  '-newer',
  marker,
  '-type',
  'f',
  '-not',
  '-path',
  `${mounted}/data/*`,
  '-not',
  '-path',
  `${mounted}/tmp/*`,
)
assert.equal(written, '')
const megabytes = run('du', '-sm', join(mounted, 'opt/sepia')).split('\t')[0]
buildah('rm', '--all')
console.log(`The image answers as ${config.User}, writes only below /data and /tmp, and has ${megabytes} MB of Sepia.`)
