export { picturesJobs, picturesLeftovers } from './jobs.ts'
export { makeRenditions } from './make-renditions.ts'
export {
  addOfferPictures,
  addressOf,
  copyOfferPictures,
  deleteUnusedPictures,
  picturesReady,
} from './pictures.repository.ts'
export { type AskForPictures, replacePictures, requirePicturesReady, stillOf } from './described-pictures.ts'
export { picturesRoutes, sharedProcesses as pictureWorks } from './pictures.routes.ts'
export { isStored, sharedPicture, storedPictures } from './stored-pictures.ts'
