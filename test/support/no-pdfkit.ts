/** In place of pdfkit in tests, which run in the main thread: documents are made in worker threads. */
export const noPdfkit = {
  default: class {
    constructor() {
      throw new Error('made in the main thread')
    }
  },
}
