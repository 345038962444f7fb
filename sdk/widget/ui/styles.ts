/**
 * The style sheet of the interface, one for all mounts of a page. Colours are the custom properties of the palette; sizes follow the
 * page's root font size upwards, so that a reader's larger type is kept.
 */
export const styles = `
:host{all:initial;display:block;text-align:start}
:host([hidden]){display:none}
.root{font:400 max(16px,1rem)/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;color:var(--text);text-align:start;-webkit-text-size-adjust:100%}
*,::before,::after{box-sizing:border-box}
[hidden]{display:none!important}
h2,p,ul{margin:0;padding:0}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.card{position:relative;container-type:inline-size;inline-size:100%;max-inline-size:25em;background:var(--surface);color:var(--text);border:1px solid var(--line);border-radius:10px;overflow:hidden}
.round .card{border-radius:22px;box-shadow:0 1px 2px #0000000f,0 8px 28px #0000001a}
.head,.foot{display:flex;flex-wrap:wrap;align-items:center;gap:.25em .9em;padding:10px 20px;font-size:.8125em;color:var(--muted)}
.head{border-block-end:1px solid var(--line);font-weight:600;color:var(--text);font-size:.875em}
.round .head{border:0;padding-block:16px 0}
.head .icon{color:var(--accent)}
.head img{block-size:1.75em;max-inline-size:9em;object-fit:contain}
.name{display:flex;align-items:center;gap:.45em;overflow-wrap:anywhere;min-inline-size:0}
.foot{border-block-start:1px solid var(--line);background:var(--soft)}
.foot .name{font-weight:400}
.round .foot{border:0}
a{color:var(--accent);text-underline-offset:.2em;min-block-size:24px;display:inline-flex;align-items:center;overflow-wrap:anywhere}
a:hover{text-decoration-thickness:2px}
.body{padding:20px;display:flex;flex-direction:column;gap:.85em;align-items:stretch}
h2{font-size:1.1875em;line-height:1.3;font-weight:650;overflow-wrap:anywhere;text-wrap:balance}
h2:focus{outline:none}
p{overflow-wrap:anywhere}
.muted{color:var(--muted);font-size:.9em}
.centre{text-align:center;align-items:center}
.centre .actions{align-self:stretch}
.points{list-style:none;display:flex;flex-direction:column;gap:.55em;background:var(--soft);border-radius:8px;padding:.8em .9em;font-size:.9375em}
.round .points{border-radius:14px}
.points li{display:flex;gap:.65em;align-items:flex-start}
.points .icon{color:var(--accent);margin-block-start:.1em}
.actions{display:flex;flex-direction:column;gap:.6em;margin-block-start:.25em}
.button{font:inherit;font-weight:600;line-height:1.3;min-block-size:46px;padding:.55em 1.1em;border-radius:8px;border:1px solid transparent;cursor:pointer;overflow-wrap:anywhere;transition:background-color .15s,border-color .15s}
.round .button{border-radius:999px}
.main{background:var(--button);color:var(--on)}
.main:hover{background:var(--hover)}
.plain{background:transparent;color:var(--text);border-color:var(--mark)}
.plain:hover,.link:hover{background:var(--soft)}
.link{background:transparent;color:var(--accent);font-weight:500;min-block-size:36px;padding:.35em .8em}
.row{display:flex;flex-wrap:wrap;justify-content:center;gap:.25em .5em}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.icon{inline-size:1.4em;block-size:1.4em;flex:none;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;stroke-linejoin:round}
.badge{display:grid;place-items:center;inline-size:3.75em;block-size:3.75em;border-radius:50%;background:var(--soft);color:var(--accent)}
.badge .icon{inline-size:1.9em;block-size:1.9em}
.badge.good{color:var(--good)}.badge.warn{color:var(--warn)}
.badge.good .icon path{stroke-dasharray:24;animation:draw .5s .1s ease-out both}
.spin{inline-size:2.75em;block-size:2.75em;border-radius:50%;border:3px solid var(--line);border-block-start-color:var(--accent);animation:spin 1s linear infinite}
.strip{display:flex;align-items:center;gap:.85em;padding-block:12px 10px;padding-inline:16px 20px;min-block-size:4.6em}
.strip .name{margin-inline-start:auto;font-size:.75em;font-weight:600;color:var(--muted);flex:none;max-inline-size:48%;hyphens:auto}.name bdi{min-inline-size:0}
.strip .name img{block-size:1.75em;max-inline-size:7em;object-fit:contain}
.strip .icon{color:var(--accent)}
.tick{font:inherit;color:inherit;background:none;border:0;border-radius:6px;padding:.25em;display:flex;align-items:center;gap:.8em;cursor:pointer;text-align:start;min-block-size:44px;flex:1 1 0;overflow-wrap:break-word}
.tick[aria-disabled]{cursor:default}
.box{inline-size:1.875em;block-size:1.875em;flex:none;border:2px solid var(--mark);border-radius:6px;background:var(--surface);display:grid;place-items:center;transition:border-color .15s,background-color .15s}
.round .box{border-radius:50%}
.tick:hover .box{border-color:var(--accent)}
.box .spin{inline-size:1.375em;block-size:1.375em}
.tick[aria-checked=true] .box{background:var(--good);border-color:var(--good)}
.tick[aria-checked=true] .box .icon{color:var(--surface);stroke-width:3;stroke-dasharray:24;animation:draw .35s ease-out both}
.note{padding:0 20px 14px;font-size:.8125em;color:var(--muted)}.note p{font-size:1em}
.ways{display:flex;flex-wrap:wrap;gap:0 1em;align-items:center;margin-block-start:.3em}.foot:empty{display:none}
.strip:has(.slide){padding-inline:16px}.slide{position:relative;block-size:3.25em;border-radius:8px;background:var(--soft);border:1px solid var(--mark);flex:1 1 100%;display:grid;align-items:center;overflow:hidden;--v:0}
.round .slide{border-radius:999px}
.slide input{position:absolute;inset:0;inline-size:100%;block-size:100%;margin:0;opacity:0;cursor:grab;z-index:2;touch-action:pan-y}
.slide span{padding-inline:3.6em .8em;font-size:.9375em;line-height:1.25;text-align:center}
.slide i{position:absolute;inset-block:0;inset-inline-start:0;border-radius:inherit;inline-size:calc(3em + (100% - 3em)*var(--v)/100);background:var(--button);opacity:.18}
.slide b{position:absolute;inset-block:3px;inset-inline-start:calc(3px + (100% - 3.15em)*var(--v)/100);inline-size:2.75em;border-radius:6px;background:var(--button);display:grid;place-items:center}
.round .slide b{border-radius:50%}
.slide b .icon{color:var(--on)}
.slide:has(:focus-visible){outline:3px solid var(--accent);outline-offset:2px}
[dir=rtl] .slide .icon{transform:scaleX(-1)}
.stage{gap:.75em}
.view{position:relative;inline-size:min(15em,78%);aspect-ratio:1;margin-inline:auto;margin-block-end:1.9em}
.lens{position:absolute;inset:4.5%;border-radius:50%;overflow:hidden;background:var(--soft)}
.lens video{position:absolute;inset:0;inline-size:100%;block-size:100%;object-fit:cover;transform:scaleX(-1);opacity:0;transition:opacity .3s}
.live .lens video{opacity:1}
.rim{position:absolute;inset:0;inline-size:100%;block-size:100%;transform:rotate(-90deg)}
.rim circle{fill:none;stroke-width:3;stroke:var(--line)}
.rim .turn{stroke:var(--accent);stroke-width:4;stroke-linecap:round;stroke-dasharray:301.6;stroke-dashoffset:301.6;transition:stroke-dashoffset .12s linear}
.view.well .turn{stroke:var(--good);stroke-dashoffset:0}
.view .avatar{position:absolute;inset-block-end:-14%;inset-inline:0;margin-inline:auto;inline-size:38%;border-radius:50%;outline:4px solid var(--surface);transition:inline-size .3s}
.view:not(.live) .avatar{inline-size:91%;inset-block-end:4.5%;outline:0}
.guide{align-self:stretch;min-block-size:4.4em;display:flex;flex-direction:column;align-items:center;justify-content:flex-start;gap:.2em}
.time{block-size:4px;inline-size:min(12em,70%);border-radius:2px;background:var(--line);overflow:hidden;direction:ltr}
.time i{display:block;block-size:100%;inline-size:100%;background:var(--mark);transform-origin:left;transition:transform .2s linear}
[dir=rtl] .time i{transform-origin:right}
.wave{inline-size:6.5em;block-size:6.5em}
dialog{border:0;padding:0;margin:auto;background:transparent;color:inherit;inline-size:min(25em,calc(100vw - 1.5em));max-inline-size:none;max-block-size:calc(100dvh - 1.5em);overflow:auto;overscroll-behavior:contain}
dialog .card{max-inline-size:none;border-radius:14px}
dialog::backdrop{background:#0b0e14a6}
@container (max-width:19em){.body{padding:14px}.head,.foot,.note{padding-inline:14px}.points{padding:.7em}.strip{flex-wrap:wrap}}
.avatar{display:block;overflow:hidden;border-radius:50%}
.avatar *{transform-box:view-box;transform-origin:60px 60px}
.avatar path{fill:none;stroke-linecap:round;stroke-linejoin:round}
.avatar.friendly .ground{fill:#dfe7ff}
.avatar.friendly .body{fill:#4f63d9}
.avatar.friendly .skin{fill:#f3c9a5}
.avatar.friendly .ears{fill:#e8b68d}
.avatar.friendly .hair{fill:#4a3428}
.avatar.friendly :is(.brow,.lids,.mouth,.nose){stroke:#4a3428;stroke-width:2.6}
.avatar.friendly .nose{stroke:#d79c72}
.avatar.friendly .eyes{fill:#2b2320}
.avatar.friendly .grin{fill:#fff;stroke:#4a3428;stroke-width:2.4}
.avatar.friendly .cheeks{stroke:#ef9a8b;stroke-width:7;opacity:.55}
.avatar.minimal .ground{fill:var(--soft)}
.avatar.minimal :is(.skin,.body,.ears,.lids,.mouth,.nose,.grin,.brow){stroke:var(--text);stroke-width:2.6}
.avatar.minimal :is(.skin,.body){fill:var(--surface)}
.avatar.minimal .eyes{fill:var(--text)}
.avatar.neon .ground{fill:#120b2e}
.avatar.neon :is(.skin,.ears){stroke:#39e6ff;stroke-width:2.6;filter:drop-shadow(0 0 3px #39e6ff)}
.avatar.neon .skin{fill:#1b1145}
.avatar.neon .body{stroke:#a77bff;stroke-width:2.6;filter:drop-shadow(0 0 3px #a77bff)}
.avatar.neon .eyes{fill:#fff;filter:drop-shadow(0 0 3px #39e6ff)}
.avatar.neon :is(.lids,.brow,.nose){stroke:#c9f7ff;stroke-width:2.6}
.avatar.neon :is(.mouth,.grin){stroke:#ff5fd2;stroke-width:3;filter:drop-shadow(0 0 3px #ff5fd2)}
.avatar .arrow{stroke:var(--accent);stroke-width:5}
.avatar.friendly .arrow{stroke:#2b3fb8}
.avatar.neon .arrow{stroke:#fff07a;filter:drop-shadow(0 0 3px #fff07a)}
.avatar :is(.lids,.grin){opacity:0}
.avatar:is(.minimal,.neon) .cheeks{display:none}
[data-pose=blink] .lids,[data-pose=smile] .grin,[data-pose=done] .grin{opacity:1}
[data-pose=blink] .eyes,[data-pose=smile] .mouth,[data-pose=done] .mouth{opacity:0}
[data-pose=turn_left] .face{transform:translateX(-11px) scaleX(.9)}
[data-pose=turn_right] .face{transform:translateX(11px) scaleX(.9)}
[data-pose=nod] .face{transform:translateY(7px) scaleY(.93)}
@media (prefers-reduced-motion:no-preference){
[data-pose=blink] .lids{animation:blink 2s steps(1) infinite}
[data-pose=blink] .eyes{animation:open 2s steps(1) infinite}
[data-pose=turn_left] .face{animation:left 2.2s ease-in-out infinite}
[data-pose=turn_right] .face{animation:right 2.2s ease-in-out infinite}
[data-pose=nod] .face{animation:nod 1.8s ease-in-out infinite}
[data-pose=smile] .head{animation:glad 2s ease-in-out infinite}
.view:not(.live) [data-pose=rest] .face{animation:glance 5s ease-in-out infinite}
.card.enter .body{animation:enter .22s ease-out}
}
@media (prefers-reduced-motion:reduce){*,::before,::after{animation-duration:.01ms!important;animation-delay:0s!important;animation-iteration-count:1!important;transition-duration:.01ms!important}.spin{border-color:var(--accent);border-style:dotted}}
@media (forced-colors:active){.card,.button,.box,.slide,.lens,.badge{border:1px solid CanvasText}.slide b{border:2px solid ButtonText;background:ButtonFace;forced-color-adjust:none}.slide b .icon{color:ButtonText}.slide i,.time i{background:Highlight}.rim .turn{stroke:Highlight}.rim circle{stroke:GrayText}.tick[aria-checked=true] .box{background:Highlight}:focus-visible,.slide:has(:focus-visible){outline-color:Highlight}}
@keyframes spin{to{transform:rotate(1turn)}}
@keyframes draw{from{stroke-dashoffset:24}}
@keyframes enter{from{opacity:0;transform:translateY(6px)}}
@keyframes blink{0%{opacity:0}50%{opacity:1}85%{opacity:0}}
@keyframes open{0%{opacity:1}50%{opacity:0}85%{opacity:1}}
@keyframes left{0%,100%{transform:none}45%,65%{transform:translateX(-13px) scaleX(.88)}}
@keyframes right{0%,100%{transform:none}45%,65%{transform:translateX(13px) scaleX(.88)}}
@keyframes nod{0%,100%{transform:none}35%,50%{transform:translateY(9px) scaleY(.9)}}
@keyframes glad{0%,100%{transform:none}50%{transform:translateY(-2px)}}
@keyframes glance{0%,40%,60%,100%{transform:none}45%,55%{transform:translateX(4px)}}
`;
