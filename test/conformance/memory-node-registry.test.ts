import { createMemoryNodeRegistry } from '../support/memory/node-registry.ts'
import { testNodeRegistry } from './node-registry.ts'

testNodeRegistry('memory', async (settings) => Object.assign(createMemoryNodeRegistry(settings), { [Symbol.asyncDispose]: async () => {} }))
