import { mayStore } from './browser-storage.ts'

/** Stores data that is too large for localStorage: pictures, and changes that wait for the service. */
const database = 'sepia'
const store = 'records'

let opened: Promise<IDBDatabase | null> | null = null

/** Stores a record under its key, even when the page is closed right afterwards. Without storage it does nothing. */
export async function keepRecord(key: string, value: unknown): Promise<void> {
  if (!mayStore()) return
  await change((records) => records.put(value, key))
}

/** Deletes a record; a missing one is ignored. */
export async function forgetRecord(key: string): Promise<void> {
  await change((records) => records.delete(key))
}

/** Deletes every record. */
export async function forgetAllRecords(): Promise<void> {
  await change((records) => records.clear())
}

/** The records whose keys begin with a prefix, by the rest of their keys. Only this console writes them, so their shape is trusted. */
export async function readRecords<Value>(prefix: string): Promise<ReadonlyMap<string, Value>> {
  const found = new Map<string, Value>()
  const records = (await open())?.transaction(store).objectStore(store)
  if (records === undefined) return found
  const keys = IDBKeyRange.bound(prefix, `${prefix}\uffff`)
  await new Promise<void>((resolve) => {
    const cursor = records.openCursor(keys)
    cursor.onerror = () => resolve()
    cursor.onsuccess = () => {
      const { result } = cursor
      if (result === null) return resolve()
      found.set(String(result.key).slice(prefix.length), result.value as Value)
      result.continue()
    }
  })
  return found
}

async function change(ask: (records: IDBObjectStore) => IDBRequest): Promise<void> {
  const transaction = (await open())?.transaction(store, 'readwrite')
  if (transaction === undefined) return
  await new Promise<void>((resolve) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => resolve()
    try {
      ask(transaction.objectStore(store))
      // Without an explicit commit, the page would have to stay open until the browser has answered.
      transaction.commit()
    } catch {
      resolve()
    }
  })
}

function open(): Promise<IDBDatabase | null> {
  opened ??= new Promise((resolve) => {
    try {
      const opening = indexedDB.open(database, 1)
      opening.onupgradeneeded = () => opening.result.createObjectStore(store)
      opening.onsuccess = () => resolve(opening.result)
      opening.onerror = () => resolve(null)
    } catch {
      resolve(null)
    }
  })
  return opened
}
