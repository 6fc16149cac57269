import { listTextDevices } from '../../runtimes/llama/binding/list-text-devices.ts'
import { reportDevices } from './tell-devices.ts'

await reportDevices(listTextDevices())
