/**
 * Names of cameras that are programs. A label is the client’s claim and can be changed by whoever writes the driver, so that a clean
 * label proves nothing; one of these names proves a lot.
 */

/** Parts of labels, lower case. */
export const virtualCameraNames = [
  'obs virtual',
  'obs-camera',
  'obs camera',
  'manycam',
  'snap camera',
  'xsplit',
  'v4l2loopback',
  'v4l2 loopback',
  'dummy video device',
  'droidcam',
  'epoccam',
  'ivcam',
  'iriun',
  'camo studio',
  'reincubate camo',
  'mmhmm',
  'youcam',
  'webcammax',
  'splitcam',
  'sparkocam',
  'altercam',
  'chromacam',
  'vcam',
  'e2esoft',
  'unity video capture',
  'unitycam',
  'ndi virtual',
  'ndi video',
  'newtek ndi',
  'nvidia broadcast',
  'vtube studio',
  'vseeface',
  'facerig',
  'animaze',
  'avatarify',
  'deepfacelive',
  'deeplivecam',
  'akvirtualcamera',
  'akvcam',
  'pyvirtualcam',
  'softcam',
  'screen capture',
  'fake_device',
  'fake device',
  'fake video',
  'virtual camera',
  'virtual webcam',
  'virtual cam',
  'virtualcamera',
] as const;

/** The name found in a label, or null. */
export function findVirtualCamera(label: string | null | undefined): string | null {
  if (label == null) return null;
  const plain = label.toLowerCase();
  return virtualCameraNames.find((name) => plain.includes(name)) ?? null;
}
