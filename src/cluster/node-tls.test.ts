import assert from 'node:assert/strict'
import { once } from 'node:events'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { makeAuthority, makeCertificate, readCertificate } from '../../test/support/cluster/make-certificates.ts'
import { startNode, type TestNode } from '../../test/support/cluster/start-node.ts'
import { createMemoryNodeRegistry } from '../../test/support/memory/node-registry.ts'
import { createTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createTestClock } from '../../test/support/test-clock.ts'
import { makeTextRequest } from '../../test/support/text-request.ts'
import { watchNodeCertificate } from '../composition/cluster/watch-node-certificate.ts'
import { createSystemClock } from '../composition/system-clock.ts'
import { type NodeCertificate, NodeTls } from './node-tls.ts'

const options = { signal: new AbortController().signal, account: 'a' }
const clock = createSystemClock()
const parts = new AsyncDisposableStack()
let folder = ''
let certificates: Readonly<Record<'worker' | 'api' | 'renewed' | 'stranger' | 'ended', NodeCertificate>>

before(async () => {
  folder = parts.use(await createTemporaryFolder()).path
  const [ours, theirs] = [await makeAuthority(folder, 'ours'), await makeAuthority(folder, 'theirs')]
  const make = async (name: string, more = {}) => {
    const files = await makeCertificate(folder, { authority: ours, name, ...more })
    // Strangers believe in our authority; what they lack is its word.
    return readCertificate({ ...files, authority: ours.certificate })
  }
  certificates = {
    worker: await make('worker'),
    api: await make('api'),
    renewed: await make('renewed'),
    stranger: await make('stranger', { authority: theirs }),
    ended: await make('ended', { days: -1 }),
  }
})
after(() => parts.disposeAsync())

/** What a node has that does not look at its own certificate first. */
function careless(certificate: NodeCertificate): NodeTls {
  return new NodeTls(certificate, 0)
}

async function startPair(worker: NodeTls | undefined, api: NodeTls | undefined) {
  await using made = new AsyncDisposableStack()
  const registry = createMemoryNodeRegistry({ clock })
  const lender = made.use(await startNode({ registry, id: 'worker', role: 'worker', tls: worker }))
  const leasingNode = made.use(await startNode({ registry, id: 'api', role: 'api', tls: api, nodeWaitMs: 500 }))
  const owned = made.move()
  return { lender, leasingNode, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

async function say({ pool }: TestNode): Promise<string> {
  await using lease = await pool.acquireText('fake-chat', options)
  const found = await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
  return found.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
}

const unavailable = { name: 'ServiceError', code: 'server_is_overloaded' }

test('nodes with certificates of their authority lend each other slots over TLS', async () => {
  await using pair = await startPair(new NodeTls(certificates.worker, Date.now()), new NodeTls(certificates.api, Date.now()))
  assert.match(pair.lender.url ?? '', /^https:/)
  assert.equal(await say(pair.leasingNode), 'hello')
})

for (const [what, worker, api] of [
  ['an asker whose certificate another authority signed', 'worker', 'stranger'],
  ['an asker whose certificate has ended', 'worker', 'ended'],
  ['a lender whose certificate another authority signed', 'stranger', 'api'],
  ['a lender whose certificate has ended', 'ended', 'api'],
] as const)
  test(`${what} is refused, though it knows the secret`, async () => {
    const tls = (name: keyof typeof certificates) => (name === 'ended' || name === 'stranger' ? careless : trusted)(certificates[name])
    await using pair = await startPair(tls(worker), tls(api))
    await assert.rejects(say(pair.leasingNode), unavailable)
    assert.deepEqual(pair.lender.requested, [])
  })

test('a node without certificate and one with it refuse each other', async () => {
  for (const [worker, api] of [
    [trusted(certificates.worker), undefined],
    [undefined, trusted(certificates.api)],
  ] as const) {
    await using pair = await startPair(worker, api)
    await assert.rejects(say(pair.leasingNode), unavailable)
    assert.deepEqual(pair.lender.requested, [])
  }
})

test('a stranger without certificate gets no byte of an answer', async () => {
  await using pair = await startPair(trusted(certificates.worker), trusted(certificates.api))
  const { port } = new URL(pair.lender.url ?? '')
  const received: Buffer[] = []
  const socket = connect({ port: Number(port), host: '127.0.0.1', ca: certificates.worker.authority, checkServerIdentity: () => undefined })
  socket.on('data', (chunk) => received.push(chunk))
  socket.on('error', () => {})
  socket.write('POST /v1/lease HTTP/1.1\r\nhost: x\r\n\r\n')
  await new Promise((resolve) => socket.on('close', resolve))
  assert.deepEqual(received, [])
})

test('a certificate that is renewed is shown from then on, and leases of before go on', async () => {
  const tls = trusted(certificates.worker)
  await using pair = await startPair(tls, trusted(certificates.api))
  await using lease = await pair.leasingNode.pool.acquireText('fake-chat', options)
  tls.replace(certificates.renewed, Date.now())
  assert.equal(await shownBy(pair.lender), 'CN=renewed')
  assert.equal(await say(pair.leasingNode), 'hello')
  const found = await Array.fromAsync(lease.model.generate(makeTextRequest('[say hello]'), options))
  assert.equal(found.at(-1)?.type, 'finish')
})

test('files are read again when they change, and half of a change, or an end, leaves the earlier in force', async () => {
  const files = { authority: join(folder, 'ours.pem'), certificate: join(folder, 'watched.pem'), key: join(folder, 'watched.key') }
  const put = async (name: string, kind: 'pem' | 'key') => copyFile(join(folder, `${name}.${kind}`), join(folder, `watched.${kind}`))
  await Promise.all([put('worker', 'pem'), put('worker', 'key')])
  const still = createTestClock(Date.now())
  const faults: Error[] = []
  let notify = () => {}
  const onFault = (error: unknown) => {
    faults.push(error as Error)
    notify()
  }
  await using watched = await watchNodeCertificate(files, { clock: still, onFault })
  const reported = () =>
    new Promise<void>((resolve) => {
      notify = resolve
      watched.tls.onReplaced(() => resolve())
    })
  const look = async (): Promise<string> => {
    const done = reported()
    await still.advance(10_000)
    await done
    return String(watched.tls.settings.cert)
  }
  await put('renewed', 'pem')
  assert.equal(await look(), certificates.worker.certificate)
  await put('renewed', 'key')
  assert.equal(await look(), certificates.renewed.certificate)
  await Promise.all([put('ended', 'pem'), put('ended', 'key')])
  assert.equal(await look(), certificates.renewed.certificate)
  assert.match(faults.map(({ message }) => message).join('; '), /key values mismatch.*ended on/)
})

test('an unusable certificate is reported at the start', async () => {
  const files = { authority: join(folder, 'ours.pem'), certificate: join(folder, 'ended.pem'), key: join(folder, 'ended.key') }
  await assert.rejects(watchNodeCertificate(files, { clock, onFault: () => {} }), /node-certificate-file.*ended on/s)
  await assert.rejects(
    watchNodeCertificate({ ...files, key: join(folder, 'none') }, { clock, onFault: () => {} }),
    /node-key-file.*cannot be read/s,
  )
})

function trusted(certificate: NodeCertificate): NodeTls {
  return new NodeTls(certificate, Date.now())
}

async function shownBy({ url }: TestNode): Promise<string> {
  const { ca, cert, key } = trusted(certificates.api).settings
  const socket: TLSSocket = connect({
    port: Number(new URL(url ?? '').port),
    host: '127.0.0.1',
    ca,
    cert,
    key,
    checkServerIdentity: () => undefined,
  })
  await once(socket, 'secureConnect')
  const subject = socket.getPeerX509Certificate()?.subject ?? ''
  socket.destroy()
  return subject
}
