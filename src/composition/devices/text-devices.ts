import { listTextDevices } from '../../runtimes/llama/binding/list-text-devices.ts'
import { tellDevices } from './tell-devices.ts'

await tellDevices(listTextDevices())
