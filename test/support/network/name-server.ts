import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

/** Its answer to a question for an IPv4 or IPv6 address. */
type Reply = (question: Buffer, isFour: boolean) => Buffer | null

/** Starts a name server that gives the configured answers, or none. */
export async function startNameServer(reply: Reply): Promise<{ readonly servers: readonly string[] } & Disposable> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (question: Buffer, { port }: RemoteInfo) => {
    const answer = reply(question, question.includes(Buffer.from([0, 1, 0, 1]), 12))
    if (answer !== null) socket.send(answer, port, '127.0.0.1')
  })
  return { servers: [`127.0.0.1:${socket.address().port}`], [Symbol.dispose]: () => socket.close() }
}

/** The answer of a name server: the question again, and an address where there is one. */
export function nameAnswer(question: Buffer, address: readonly number[] | null): Buffer {
  const end = question.indexOf(0, 12) + 5
  const head = Buffer.from(question.subarray(0, 12))
  head.writeUInt16BE(0x8180, 2)
  head.writeUInt16BE(address === null ? 0 : 1, 6)
  head.writeUInt16BE(0, 10)
  const kind = address?.length === 4 ? 1 : 28
  const record = address === null ? [] : [0xc0, 12, 0, kind, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]
  return Buffer.concat([head, question.subarray(12, end), Buffer.from(record)])
}
