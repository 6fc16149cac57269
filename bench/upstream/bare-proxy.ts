/** A node:http proxy that does nothing but pass on, as a process of its own; its argument is the upstream's address, and it prints its port. */
import { Agent, createServer, request } from 'node:http'

const { hostname, port } = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true })

const server = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming
  const sent = request({ agent, hostname, port, method, path, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  sent.on('error', () => outgoing.destroy())
  incoming.pipe(sent)
})

server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : address)
})
