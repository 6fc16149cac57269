import { ServiceError } from '../../../src/core/error.ts'
import { servePictureEngine } from '../../../src/runtimes/process/serve-picture-engine.ts'

/** The behaviour of this engine by the first byte of a picture. */
const strange: Readonly<Record<number, () => Promise<never>>> = {
  1: async () => process.kill(process.pid, 'SIGSEGV') as never,
  2: () => new Promise(() => setInterval(() => {}, 1000)),
  3: async () => Promise.reject(new ServiceError('validation_error', 'it is no picture.')),
}

servePictureEngine(async (bytes) => (await strange[bytes[0] ?? 0]?.()) ?? { format: 'png', width: process.pid, height: 1 })
