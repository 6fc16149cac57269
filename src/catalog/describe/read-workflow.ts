import { readFile, stat } from 'node:fs/promises'
import { parseWorkflow, type Workflow } from '../../core/images/workflow.ts'
import type { CatalogFault } from '../catalog-fault.ts'

/** Bytes of the longest workflow that is read; it is sent with every picture. */
const longestWorkflow = 4 * 1024 * 1024

/** The workflow in a file, or what is wrong with it. */
export async function readWorkflow(file: string): Promise<Workflow | { readonly fault: CatalogFault }> {
  const read = await readText(file)
  const parsed = typeof read === 'string' ? parseWorkflow(read) : read
  return 'fault' in parsed ? { fault: { file, field: '', message: `${parsed.fault}.` } } : parsed
}

async function readText(file: string): Promise<string | { readonly fault: string }> {
  try {
    if ((await stat(file)).size > longestWorkflow)
      return { fault: `has more than ${longestWorkflow} bytes; store pictures as files on the server` }
    return await readFile(file, 'utf8')
  } catch {
    return { fault: 'cannot be read; make it readable for the user that runs the service' }
  }
}
