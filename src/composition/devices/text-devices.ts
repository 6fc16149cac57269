import { listTextDevices } from '../../runtimes/llama/binding/list-text-devices.ts'
import { reportDevices } from './report-devices.ts'

await reportDevices(listTextDevices())
