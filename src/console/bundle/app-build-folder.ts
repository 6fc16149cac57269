import { join } from 'node:path'

/** Where the bundled browser code lies. */
export const appBuildFolder: string = join(import.meta.dirname, '../../../dist/console')
