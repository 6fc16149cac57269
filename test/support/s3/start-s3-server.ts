import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { S3Address } from '../../../src/storage/s3/s3-bucket.ts'
import { findFreePort } from '../free-port.ts'
import { createTemporaryFolder } from '../temporary-folder.ts'

const execute = promisify(execFile)
const startLimitMs = 300_000

/** One of Ceph's commands; one that hangs fails. */
async function run(command: string, args: readonly string[]): Promise<void> {
  await execute(command, args, { timeout: startLimitMs, killSignal: 'SIGKILL' })
}

const packages = ['radosgw', 'ceph-mon', 'ceph-osd']

/** Why tests on a real S3 server are left out here, or false; where every suite must run (SEPIA_CI) they fail instead. */
export const withoutS3Server: string | false =
  packages.every((name) => existsSync(`/usr/bin/${name}`)) || process.env.SEPIA_CI !== undefined
    ? false
    : `apt-get install --no-install-recommends ${packages.join(' ')}`

/** An S3 server that checks signatures, checksums and conditions: Ceph's, from Debian's packages, with its data in memory. */
export async function startS3Server(): Promise<AsyncDisposable & { readonly address: Omit<S3Address, 'bucket'> }> {
  await using made = new AsyncDisposableStack()
  const folder = made.use(await createTemporaryFolder()).path
  const [port, monitorPort] = [await findFreePort(), await findFreePort()]
  for (const part of ['mon', 'osd', 'rgw']) await mkdir(join(folder, part))
  const id = crypto.randomUUID()
  const config = join(folder, 'ceph.conf')
  await writeFile(config, cephConfig({ folder, id, port, monitorPort }))
  made.defer(() => stopAll(folder))
  const monitors = join(folder, 'monmap')
  await run('monmaptool', ['--create', '--clobber', '--fsid', id, '--addv', 'a', `[v2:127.0.0.1:${monitorPort}]`, monitors])
  await run('ceph-mon', ['-c', config, '--mkfs', '-i', 'a', '--monmap', monitors])
  await run('ceph-mon', ['-c', config, '-i', 'a'])
  const disk = crypto.randomUUID()
  await run('ceph', ['-c', config, 'osd', 'new', disk])
  await run('ceph-osd', ['-c', config, '-i', '0', '--mkfs', '--osd-uuid', disk])
  await run('ceph-osd', ['-c', config, '-i', '0'])
  await run('radosgw', ['-c', config, '-n', 'client.rgw'])
  const endpoint = `http://127.0.0.1:${port}`
  await answers(endpoint)
  const [accessKey, secretKey] = ['sepiakey', 'sepiasecret']
  const keys = ['--access-key', accessKey, '--secret-key', secretKey]
  await run('radosgw-admin', ['-c', config, 'user', 'create', '--uid', 'sepia', '--display-name', 'sepia', ...keys])
  const parts = made.move()
  return { address: { endpoint, region: 'us-east-1', accessKey, secretKey }, [Symbol.asyncDispose]: () => parts.disposeAsync() }
}

async function answers(url: string): Promise<void> {
  for (let round = 0; round < 3000; round++) {
    if (await fetch(url).catch(() => null)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`The S3 server at ${url} does not answer.`)
}

async function stopAll(folder: string): Promise<void> {
  for (const name of ['client.rgw', 'osd.0', 'mon.a']) {
    const pid = Number(await readFile(join(folder, `${name}.pid`), 'utf8').catch(() => ''))
    if (pid > 0) kill(pid)
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

function cephConfig(place: { readonly folder: string; readonly id: string; readonly port: number; readonly monitorPort: number }): string {
  const { folder, id, port, monitorPort } = place
  return `[global]
fsid = ${id}
mon host = v2:127.0.0.1:${monitorPort}
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail warn = 1
mon data avail crit = 1
mon max pg per osd = 1000
log file = ${folder}/$name.log
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
ms bind msgr1 = false
ms mon client mode = crc
ms mon service mode = crc
ms mon cluster mode = crc
[mon.a]
mon data = ${folder}/mon
[osd.0]
osd objectstore = memstore
memstore device bytes = 1073741824
osd data = ${folder}/osd
[client.rgw]
rgw data = ${folder}/rgw
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw enable usage log = false
rgw num rados handles = 1
rgw thread pool size = 32
`
}
