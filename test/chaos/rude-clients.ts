import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { ServiceProcess } from './service-process.ts'

/** Sends half of a body and goes away. */
export async function leaveDuringUpload(service: ServiceProcess): Promise<void> {
  const socket = await openSocket(service)
  socket.write(`${head(service, '/generate/sdxl', 5000)}{"prompt": "${'x'.repeat(2000)}`)
  await pause(30)
  socket.destroy()
}

/** Asks for a stream and goes away in the middle of it. */
export async function leaveDuringStream(service: ServiceProcess): Promise<void> {
  const body = JSON.stringify({ model: 'sepia-mini-chat', messages: [{ role: 'user', content: 'Count.' }], max_tokens: 200, stream: true })
  const socket = await openSocket(service)
  socket.write(head(service, '/v1/chat/completions', Buffer.byteLength(body), { async: false }) + body)
  await Promise.race([once(socket, 'data').catch(() => {}), pause(2000)])
  socket.destroy()
}

/** Sends its head one byte at a time for a while. */
export async function sendSlowly(service: ServiceProcess): Promise<void> {
  const socket = await openSocket(service)
  for (const letter of head(service, '/generate/sdxl', 10).slice(0, 40)) {
    socket.write(letter)
    await pause(10)
  }
  socket.destroy()
}

/** Sends one byte more than an asynchronous body may have; resolves with the status, null without an answer. */
export async function sendTooMuch(service: ServiceProcess): Promise<number | null> {
  const body = `{"prompt": "${'x'.repeat(10 * 1024 * 1024)}"}`.slice(0, 10 * 1024 * 1024 + 1)
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json', 'x-service-async': '1' }
  const response = await fetch(`${service.url}/generate/sdxl`, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(60_000),
  }).catch(() => null)
  await response?.arrayBuffer().catch(() => {})
  return response?.status ?? null
}

function head({ port, token }: ServiceProcess, path: string, length: number, { async = true } = {}): string {
  const lines = [`POST ${path} HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${token}`, 'Content-Type: application/json']
  return [...lines, ...(async ? ['X-Service-Async: 1'] : []), `Content-Length: ${length}`, '', ''].join('\r\n')
}

async function openSocket({ port }: ServiceProcess): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // Whatever happens to a rude client's connection is its own fault.
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect').catch(() => {}), pause(1000)])
  return socket
}
