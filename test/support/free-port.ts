import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'

/** Ports that the system assigns neither to servers nor to outgoing connections. */
const [first, count] = [10_000, firstGivenPort() - 10_000]
const maxTries = 100

/**
 * A port of the loopback address for a server that needs one. Nothing listens there right now, and nothing starts to by chance
 * until the server does, or while it starts again.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < maxTries; tries++) {
    const port = count < 1000 ? 0 : first + Math.floor(Math.random() * count)
    const found = await tryPort(port)
    if (found !== null) return found
  }
  throw new Error('No port is free.')
}

async function tryPort(port: number): Promise<number | null> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  } catch {
    return null
  }
  const { port: found } = server.address() as AddressInfo
  await once(server.close(), 'close')
  return found
}

/** Where Linux begins to give ports away; elsewhere the lowest that is usual. */
function firstGivenPort(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10)
  } catch {
    return 32_768
  }
}
