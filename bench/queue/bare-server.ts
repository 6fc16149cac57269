import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// A rival of the bench over HTTP: node:http alone, which answers with as many bytes as a poll of the service does. Says its port.
const body = JSON.stringify({ filler: 'x'.repeat(450) })
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length }).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
