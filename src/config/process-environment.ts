import { availableParallelism, totalmem } from 'node:os'
import { countPhysicalCores, type Machine } from './machine.ts'

/** The environment variables. The only place that reads `process.env`. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}

/** The command line as it is typed. A clone has sources and a script `./sepia`; an installed package has compiled sources. */
export const programName: 'sepia' | './sepia' = import.meta.filename.endsWith('.ts') ? './sepia' : 'sepia'

/** Properties of the machine or of its container. */
export function readMachine(): Machine {
  const constrained = process.constrainedMemory()
  const total = totalmem()
  return {
    cores: availableParallelism(),
    physicalCores: countPhysicalCores() ?? undefined,
    memoryBytes: constrained > 0 && constrained < total ? constrained : total,
    terminal: process.stdout.isTTY === true,
    folder: process.cwd(),
  }
}
