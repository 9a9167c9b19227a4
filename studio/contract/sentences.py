"""What this room says: one sentence for each finding, refusal and mend."""

from __future__ import annotations

from studio.core.words import sentences

sentences(
    {
        # References as a set.
        "refs.images.too_many": "{is} pictures are in the shot; H3 takes {limit}. Set aside {names}.",
        "refs.videos.too_many": "{is} clips are in the shot; H3 takes {limit}. Set aside {names}.",
        "refs.audios.too_many": "{is} sounds are in the shot; H3 takes {limit}. Set aside {names}.",
        "refs.too_many": "{is} references are in the shot; H3 takes {limit} in all. Set aside {names}.",
        "refs.none": "Reference mode needs at least {limit} picture or clip. Add one, or switch to text mode.",
        "refs.audio_only": (
            "Sound alone is not enough for reference mode: it needs at least {limit} picture or clip. "
            "Add one, or use {name} as the driving sound."
        ),
        "refs.videos.total": (
            "The clips {names} are {is:sec} s together; H3 takes {limit:sec} s. Trim one, or set one aside."
        ),
        "refs.soundtracks.total": (
            "The soundtracks of {names} are {is:sec} s together; H3 takes {limit:sec} s. Drop the sound of one."
        ),
        "refs.audios.total": (
            "The sounds {names} are {is:sec} s together; H3 takes {limit:sec} s. Trim one, or set one aside."
        ),
        "fl2va.no_picture": "Frames mode needs a first or a last picture ({limit} at least). Add one.",
        "fl2va.too_many": "{is} pictures are first or last; H3 takes {limit}. Set aside {names}.",
        "fl2va.two_first": "{is} pictures are the first frame; there is {limit}. Make {name} the last, or set it aside.",
        "fl2va.two_last": "{is} pictures are the last frame; there is {limit}. Make {name} the first, or set it aside.",
        "fl2va.stretched": (
            "{name} ({is:.2f}:1) is stretched to {width} × {height}, which bends it. Crop it to the same shape first."
        ),
        "fl2va.frame_indices": (
            "extra.{key} is {is}, which does not fit {pictures} picture(s): H3 takes [0], [-1] or [0, -1]. Take it out."
        ),
        "driving.count": (
            "A driving sound is exactly {limit} sound; the shot has {is}. Choose one, or let H3 make its own sound."
        ),
        # One reference.
        "ref.not_read": "{name} has not been read yet, so nothing is known of its length and size.",
        "ref.kind.image": "{name} is a still picture. Use it as a picture, or set it aside.",
        "ref.kind.video": "{name} is a clip. Use it as a clip, or set it aside.",
        "ref.kind.audio": "{name} holds only sound. Use it as a sound, or set it aside.",
        "ref.set_aside": "{name} is set aside: it is not counted and not sent.",
        "ref.other_task": "{name} waits: this mode has no use for it. It is not counted and not sent.",
        "ref.video.edge": (
            "{name} would be sent at {width} × {height}; every edge must be {min} to {max} pixels. "
            "Choose another clip, crop or size."
        ),
        "ref.video.ratio": (
            "{name} is {width} × {height}, {is:.2f}:1; H3 takes {min:g} to {max:g}. Crop it, or choose another clip."
        ),
        "ref.image.edge": (
            "{name} is {width} × {height}; every edge must be {min} to {max} pixels. Choose another picture or crop."
        ),
        "ref.image.ratio": (
            "{name} is {width} × {height}, {is:.2f}:1; H3 takes {min:g} to {max:g}. Crop it, or choose another picture."
        ),
        "ref.image.scaled": (
            "{name} is scaled from {width} × {height} to {to_width} × {to_height}, the most that H3 takes."
        ),
        "ref.video.too_long": "{name} is {is:sec} s; a clip may be {limit:sec} s, without tolerance. Trim it.",
        "ref.video.too_short": "{name} is {is:sec} s; a clip must be at least {limit:sec} s. Take more of it, or another.",
        "ref.audio.too_long": "{name} is {is:sec} s; a sound may be {limit:sec} s, without tolerance. Trim it.",
        "ref.audio.too_short": (
            "{name} is {is:sec} s; a sound must be at least {limit:sec} s. Take more of it, or another."
        ),
        "ref.video.sound_too_short": (
            "The soundtrack of {name} is {is:sec} s and is left out: H3 takes none under {limit:sec} s."
        ),
        "ref.video.unused_frames": "The last {is} of {frames} frames of {name} are not looked at. Sound is used in full.",
        "ref.unmentioned": "The prompt does not name {name}. Mention {tag}, so that H3 knows what it is for.",
        # Length and canvas.
        "output.frames.range": (
            "{is} frames are {seconds:sec} s; H3 renders {min:g} to {max:g} s. Choose a length on the ladder."
        ),
        "output.frames.off_grid": "H3 renders {to} frames ({seconds:sec} s) instead of {is}: the next length on its ladder.",
        "output.seconds.range": "A length of {is} s is outside {min:g} to {max:g} s. Choose a length in that range.",
        "output.shorter_than_clip": "Only the first {is:sec} s of {name} ({of:sec} s) are used. Render longer, or trim it.",
        "output.shorter_than_sound": "Only the first {is:sec} s of {name} ({of:sec} s) are used: the result is shorter.",
        "output.longer_than_clip": (
            "The result ({is:sec} s) is longer than {name} ({of:sec} s): H3 makes up the rest. Match the clip to avoid that."
        ),
        "output.longer_than_sound": "{name} ends at {of:sec} s; the rest of the {is:sec} s is silent.",
        "canvas.aspect.unknown": "H3 knows no ratio {is}. Choose one of {known}.",
        "canvas.aspect.needed": "Text mode needs a named ratio. Choose one of {known}.",
        "canvas.no_picture": "Frames mode takes its shape from the first picture, and there is none. Add one.",
        "canvas.too_small": "A canvas of {width} × {height} is too small: each side needs at least {min} pixels.",
        "canvas.ratio.range": "A canvas of {width} × {height} is too narrow: H3 takes 1:4 to 4:1.",
        "canvas.ratio.positive": "A canvas cannot have the ratio {is}. Give a width and a height above 0.",
        "canvas.short_edge": "short_edge is {is}; H3 takes {limit}. Take it out, or set a width and a height.",
        "canvas.floored": (
            "{width} × {height} is rendered as {to_width} × {to_height}: sides are multiples of {multiple} pixels."
        ),
        "canvas.follows_picture": (
            "Frames mode takes its shape ({width} × {height}) from the first picture: {aspect} is not used."
        ),
        "canvas.other_orientation": (
            "{name} is {clip_width} × {clip_height} and the result {width} × {height}: the other way round. "
            "Choose the ratio nearest to the clip."
        ),
        # Settings.
        "steps.range": "{is} steps; H3 takes {min} to {max}.",
        "seed.range": "The seed {is} is too large for H3. Use one between {min} and {max}.",
        "shift.range": "{field} is {is:g}; it must be above {limit}.",
        "quality.unknown": "H3 knows no quality {is}. Choose one of {known}, or leave it to the server.",
        "quality.continuation": "A continued long video cannot be rendered with quality {is}. Use lossless.",
        "lora.incomplete": "An adapter needs both a name and a path on the server. Complete it, or take it out.",
        "lora.scale": "The strength {is} of the adapter is not a number. Correct it, or take the adapter out.",
        "lora.task": "The adapter {name} is for {known}, and this shot is {is}. Choose another adapter or mode.",
        "lora.pins": "{name} was made for {field} {limit:g}; the shot has {is}. Set it to {limit:g}.",
        "long_video.unknown": "The server ({version}) has no long video: it renders one pass. Render in one pass.",
        "long_video.window": (
            "Windows of {window} frames that overlap by {overlap} cannot be rendered: both are 17n+5, the window is "
            "{min} to {max} frames and longer than the overlap. Correct them, or render in one pass."
        ),
        "long_video.prompts": "There are {is} prompts for {limit} windows. Give one for each, none of them empty.",
        "long_video.flag": "long_video must be true or false. Turn it off, or correct it.",
        "long_video.mode": "H3 knows no long video mode {is}: it is full or continuation.",
        "long_video.continuation": "Only reference mode can continue a long video. Use mode full, or reference mode.",
        "extra.ignored": "The server ignores {key} among the extra parameters ({is}). Take it out.",
        "extra.overrides": "{key} among the extra parameters ({is}) overrides what is set here.",
        "extra.refused": "The server refuses {key} with {is}. Correct it, or take it out.",
        "extra.other": "{key} among the extra parameters is {is}, and the shot says otherwise. Set it in the shot instead.",
        "extra.target": "The extra parameter target must be an object. Take it out, or correct it.",
        "extra.too_large": "The extra parameters are {is:mib}; the server takes {limit:mib}. Shorten them.",
        "fps.fixed": "The file asks for {is} frames a second; H3 always renders {limit}. It is not sent.",
        # Keeping and changing parts of a clip.
        "edit.experimental": (
            "Keeping parts of {name} is experimental: it was tried on the server's rules, not on a real model by us. "
            "Look at the result beside its source."
        ),
        "edit.several": "{name} is marked, and so is {edited}: H3 edits one clip. Take the marks off one of them.",
        "edit.all_changed": (
            "Nothing of {name} is kept, so it is not sent as a source. Mark what to keep, or take the marks off."
        ),
        "edit.all_kept": "All of {name} is kept, picture and sound: the result would be the clip again. Mark what to change.",
        "edit.unsupported": (
            "This server ({version}) cannot keep parts of a clip. Take the marks off {name}, or use a newer server."
        ),
        "edit.continuation": (
            "A long video that continues in windows cannot keep parts of {name}. Render it in one piece, or take the marks off."
        ),
        "edit.lock_source": (
            "A driving sound and sound kept of {name} exclude each other. Drop the marks of the sound, or the driving sound."
        ),
        "edit.no_sound": "{name} has no sound to keep. Drop the marks of the sound.",
        "edit.mask_bytes": (
            "The marks of {name} come to {is:mib}; the server takes {limit:mib}. Render shorter or smaller, or take them off."
        ),
        "edit.held": "{name} ends {is} frames before the result: its last frame is held there. Render shorter to avoid that.",
        "edit.cut.width": (
            "{name} is cut by {percent} % of its width to fit {width} × {height}. Move the crop to choose what is cut."
        ),
        "edit.cut.height": (
            "{name} is cut by {percent} % of its height to fit {width} × {height}. Move the crop to choose what is cut."
        ),
        "edit.sound_tail": "The sound of {name} ends at {is:sec} of {of:sec} s: the rest is made anew.",
        "edit.lost_area": (
            "Area {number} on {name} has no effect: it is smaller than a block of 16 pixels, or outside of what is "
            "sent. Make it larger, or remove it."
        ),
        "edit.lost_span": (
            "The stretch {start:sec}–{end:sec} s of {name} has no effect: it is too short, or outside of what is "
            "sent. Make it longer, or remove it."
        ),
        # The server's form.
        "form.field_missing": (
            "This server's form has no {field}, so it would render something else. Use a newer server."
        ),
        "server.refused_before": "This server refused the same settings before: “{said}”. Change what it names.",
        "form.field_ignored": "This server's form has no {field}: it is ignored there.",
        # Prompt.
        "prompt.empty": "The prompt is empty. Write what should happen.",
        "prompt.blank": "The prompt holds only blanks. Write what should happen.",
        "prompt.too_large": "The prompt is {is:mib}; the server takes {limit:mib}. Shorten it.",
        "prompt.long": (
            "The prompt has {is:n} characters; the hosted H3 takes {limit:n}. It is sent whole: shorten it if it is lost."
        ),
        "prompt.speech": "H3 knows speech by its marker: write <d>[English] …</d> around what is spoken.",
        "prompt.mention.gone": "The prompt mentions a reference that is no longer there. The mention is left out.",
        "prompt.mention.unsent": "The prompt mentions {name}, which is not sent. The mention is left out.",
        "prompt.tag.unknown": "The prompt says {tag}, and no reference has that tag. There are: {known}.",
        # Refusals that are no findings.
        "limits.unknown": "No limits are called {id}. There are: {known}.",
        "limits.damaged": "The limits file {id} cannot be used. Install the studio again.",
        "shot.damaged": "This is not a shot file, or it is damaged ({reason}). Open another, or an autosaved copy.",
        "shot.newer": (
            "This shot was saved by a newer version (format {version}; this one reads {known}). Update the studio to open it."
        ),
        "mend.unknown": "There is no mend called {mend_code}.",
        # Mends, as labels of their buttons.
        "mend.trim_to_rung": "Trim to {frames} frames ({seconds:sec} s)",
        "mend.keep_seconds": "Keep {seconds:sec} s",
        "mend.whole": "Use all of it",
        "mend.set_aside": "Set aside {name}",
        "mend.take_back": "Use {name} after all",
        "mend.set_aside_surplus": "Set aside {names}",
        "mend.drop_sound": "Drop the sound of {name}",
        "mend.use_as.image": "Use as a picture",
        "mend.use_as.video": "Use as a clip",
        "mend.use_as.audio": "Use as a sound",
        "mend.short_edge": "Scale to a short edge of {short_edge}",
        "mend.enlarge": "Scale up to {to} pixels",
        "mend.crop": "Crop to {ratio:.2f}:1",
        "mend.uncrop": "Use the whole picture",
        "mend.drive": "Use {name} as the driving sound",
        "mend.role.first": "Use {name} as the first frame",
        "mend.role.last": "Use {name} as the last frame",
        "mend.task.t2va": "Switch to text mode",
        "mend.frames": "Render {frames} frames ({seconds:sec} s)",
        "mend.aspect": "Render at {aspect}",
        "mend.canvas": "Render at {width} × {height}",
        "mend.reset": "Set {field} to {value}",
        "mend.clear": "Leave {field} to the server",
        "mend.drop_extra": "Take out {key}",
        "mend.one_pass": "Render in one pass",
        "mend.long_full": "Render in one piece",
        "mend.unmark": "Take the marks off {name}",
        "mend.unmark_sound": "Keep no sound of {name}",
        "mend.also_reference": "Also use {name} as a reference",
        "mend.mention": "Mention {tag}",
        "mend.unmention": "Remove the mention",
    }
)
