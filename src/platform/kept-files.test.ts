import { expect, test, vi } from 'vitest'
import { type FileBytes, keptFiles } from './kept-files.ts'

const reader = () =>
  vi.fn<(name: string) => Promise<FileBytes | undefined>>(async (name) =>
    name === 'missing' ? undefined : { bytes: Buffer.alloc(Number(name[0])) },
  )

test('a file that is kept is read once, also by callers at the same time', async () => {
  const read = reader()
  const find = keptFiles(read, 10)
  await Promise.all([find('4 a'), find('4 a')])
  expect((await find('4 a'))?.bytes).toHaveLength(4)
  expect(read).toHaveBeenCalledTimes(1)
})

test('the file that was used least lately makes room, and a file larger than the room is not kept', async () => {
  const read = reader()
  const find = keptFiles(read, 9)
  await find('4 a')
  await find('4 b')
  await find('4 a')
  await find('4 c')
  await find('4 a')
  expect(read.mock.calls.flat()).toEqual(['4 a', '4 b', '4 c'])
  const small = keptFiles(read, 3)
  await small('4 a')
  await small('4 a')
  expect(read).toHaveBeenCalledTimes(5)
})

test('a missing file is looked for again, and so is one whose reading failed', async () => {
  const read = reader()
  const find = keptFiles(read, 9)
  expect(await find('missing')).toBeUndefined()
  expect(await find('missing')).toBeUndefined()
  read.mockRejectedValueOnce(new Error('away'))
  await expect(find('4 a')).rejects.toThrow('away')
  expect(await find('4 a')).toBeDefined()
  expect(read).toHaveBeenCalledTimes(4)
})
