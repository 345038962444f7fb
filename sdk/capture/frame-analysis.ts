/** The worker's results for one frame, and for the whole capture. */

/** The measurements of one frame. */
export interface FrameAnalysis {
  readonly width: number;
  readonly height: number;
  /** x, y of the 23 points of key23, pixels; null without a face. */
  readonly points: Float32Array | null;
  /** Faces in the picture, as of the last count. */
  readonly faces: number;
  /** 16 hexadecimal digits of all pixels; of the picture, where one was taken. */
  readonly hash: string;
  /** Grey square around the face (face-picture.ts); null where the project asks for none, and without a face. */
  readonly picture: Uint8Array | null;
  /** Mean luminance of the face, or of the picture without one, 0-1. */
  readonly brightness: number;
}

/** Statistics over the whole capture; null if there was too little data. 0-1 unless noted. */
export interface Summary {
  readonly moire: number | null;
  readonly screenEdges: number | null;
  readonly glare: number | null;
  readonly flicker: number | null;
  readonly sharpness: number | null;
  readonly brightness: number | null;
  readonly contrast: number | null;
  readonly noise: number | null;
  readonly noiseRepeat: number | null;
  /** Noise of the face over that of what is around it, and detail likewise; 1 for alike. */
  readonly faceNoiseRatio: number | null;
  readonly faceDetailRatio: number | null;
  /** Lightness of the skin. */
  readonly skinLuminance: number | null;
  readonly embedding: Float32Array | null;
  readonly embeddingModel: string;
  readonly age: number | null;
  readonly male: number | null;
}
