import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts processor time in hundredths of a second. */
const tickMs = 10

/** Processor time of a process and everything it started that still runs, in milliseconds: what work costs, whatever else the machine does. */
export function readProcessorMs(pid: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat)
  const family = new Set([pid])
  for (let size = 0; size !== family.size; ) {
    size = family.size
    for (const each of processes) if (family.has(each.parent)) family.add(each.pid)
  }
  return processes.filter((each) => family.has(each.pid)).reduce((sum, each) => sum + each.ticks * tickMs, 0)
}

function readStat(name: string): { readonly pid: number; readonly parent: number; readonly ticks: number }[] {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return [{ pid: Number(name), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }]
  } catch {
    return [] // it ended meanwhile
  }
}
