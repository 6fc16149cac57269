import { argv } from 'node:process'
import { listImageDevices } from '../../runtimes/diffusion/onnx/choose-provider.ts'
import { reportDevices } from './report-devices.ts'

await reportDevices(listImageDevices({ software: argv.includes('--software') }))
