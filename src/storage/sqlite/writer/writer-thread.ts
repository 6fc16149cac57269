import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../open-database.ts'
import { type CommandRequest, runGroup } from './command-group.ts'

/** Maximum number of commands per commit. */
const largestGroup = 512

if (parentPort === null) throw new Error('This file runs in a worker thread only.')
const port = parentPort
const connection = openDatabase(String(workerData))

port.on('message', (first: readonly CommandRequest[] | 'close') => {
  if (first === 'close') return close()
  const requests = [...first]
  let closing = false
  // Commands that arrived during the last commit form the next group.
  while (requests.length < largestGroup && !closing) {
    const next: { readonly message: readonly CommandRequest[] | 'close' } | undefined = receiveMessageOnPort(port)
    if (next === undefined) break
    if (next.message === 'close') closing = true
    else requests.push(...next.message)
  }
  port.postMessage(runGroup(connection, requests))
  if (closing) close()
})
port.postMessage([])

function close(): void {
  connection[Symbol.dispose]()
  port.close()
}
