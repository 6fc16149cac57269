import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A bare TCP connection, for what no HTTP client would send. */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket
}

/** Sends bytes and returns everything that comes back until the other side closes. */
export async function exchange(url: string, text: string): Promise<string> {
  const socket = await openSocket(url)
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

/** Waits until what has come in matches. */
export async function readUntil(socket: Socket, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (pattern.test(text)) return text
  }
  throw new Error(`The connection ended after: ${text}`)
}
