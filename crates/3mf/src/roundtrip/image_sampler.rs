//! `ImageSampler`, a kind that 3MF does not have, as a call of an image function.
//!
//! The image function holds the image, the filter and the tile styles. The writer generates one for each combination that it
//! needs, and names it so that the reader recognises it.

use fibula_core::graph::ImageFunction;
use fibula_nodes::{Filter, ResourceId, TileStyle};

/// Name of the kind.
pub(crate) const IMAGE_SAMPLER: &str = "ImageSampler";

/// Integer parameters with their defaults: the filter, and the tile styles along u, v and w.
pub(crate) const INTEGER_PARAMETERS: [(&str, i64); 4] = [
    ("filter", 1),
    ("tilestyle_u", 0),
    ("tilestyle_v", 0),
    ("tilestyle_w", 0),
];

const FILTERS: [(Filter, &str); 2] = [(Filter::Nearest, "nearest"), (Filter::Linear, "linear")];

const TILES: [(TileStyle, &str); 4] = [
    (TileStyle::Wrap, "wrap"),
    (TileStyle::Mirror, "mirror"),
    (TileStyle::Clamp, "clamp"),
    (TileStyle::None, "none"),
];

/// Returns the image function of a sampler; `None` if one of its integers is out of range.
pub(crate) fn image_function(image: ResourceId, numbers: [i64; 4]) -> Option<ImageFunction> {
    let at = |number: i64| usize::try_from(number).ok();
    let (filter, mut name) = *FILTERS.get(at(numbers[0])?)?;
    let mut tiles = [TileStyle::Wrap; 3];
    let mut title = format!("sampler of image {image}: {name}");
    for (tile, &number) in tiles.iter_mut().zip(&numbers[1..]) {
        (*tile, name) = *TILES.get(at(number)?)?;
        title = format!("{title}, {name}");
    }
    Some(ImageFunction {
        name: title,
        image,
        scale: 1.0,
        offset: 0.0,
        filter,
        tiles,
    })
}

/// Name of a filter in 3MF.
pub(crate) fn filter_name(filter: Filter) -> &'static str {
    let found = FILTERS.iter().find(|(one, _)| *one == filter);
    found.map_or("linear", |(_, name)| name)
}

/// Name of a tile style in 3MF.
pub(crate) fn tile_name(tile: TileStyle) -> &'static str {
    let found = TILES.iter().find(|(one, _)| *one == tile);
    found.map_or("wrap", |(_, name)| name)
}

/// Returns the integer parameters of the sampler that an image function stands for, if it stands for one.
pub(crate) fn sampler_numbers(image: &ImageFunction) -> Option<[i64; 4]> {
    let filter = FILTERS.iter().position(|(one, _)| *one == image.filter)?;
    let mut numbers = [filter as i64, 0, 0, 0];
    for (number, tile) in numbers[1..].iter_mut().zip(image.tiles) {
        *number = TILES.iter().position(|(one, _)| *one == tile)? as i64;
    }
    let bits = [image.scale, image.offset].map(f64::to_bits);
    let plain = bits == [1.0_f64, 0.0].map(f64::to_bits);
    plain.then_some(numbers)
}

/// True if the writer generated the image function for a sampler.
pub(crate) fn is_generated(image: &ImageFunction) -> bool {
    sampler_numbers(image)
        .and_then(|numbers| image_function(image.image, numbers))
        .as_ref()
        == Some(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_function() {
        let made = image_function(ResourceId(4), [0, 3, 2, 1]).unwrap();
        let name = "sampler of image 4: nearest, none, clamp, mirror";
        assert_eq!(made.name, name);
        assert_eq!(sampler_numbers(&made), Some([0, 3, 2, 1]));
        assert!(is_generated(&made));
        let other = ImageFunction {
            scale: 2.0,
            ..made.clone()
        };
        assert_eq!(sampler_numbers(&other), None);
        let renamed = ImageFunction {
            name: "mine".to_owned(),
            ..made
        };
        assert!(!is_generated(&renamed) && sampler_numbers(&renamed).is_some());
        assert_eq!(image_function(ResourceId(4), [2, 0, 0, 0]), None);
        assert_eq!(image_function(ResourceId(4), [0, 0, -1, 0]), None);
    }
}
